; The grammar's own tags end a function where its body begins.

(comment) @doc

(function_definition
  declarator: [
    (function_declarator declarator: (identifier) @name)
    (_ (function_declarator declarator: (identifier) @name))
    (_ (_ (function_declarator declarator: (identifier) @name)))
  ]) @definition.function

; What a macro declares: `TEST(name) {`.
(function_definition
  declarator: (parenthesized_declarator (identifier) @name)) @definition.function

(preproc_function_def name: (identifier) @name) @definition.macro

(union_specifier name: (type_identifier) @name body: (_)) @definition.class

(declaration
  declarator: (init_declarator
    declarator: [
      (identifier) @name
      (_ (identifier) @name)
      (_ (_ (identifier) @name))
    ]
    value: (initializer_list))) @definition.constant
