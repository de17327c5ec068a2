; The grammar's own tags end a function where its body begins, and miss the names only C++ has.

[(comment) (attribute_declaration)] @doc

(function_definition
  declarator: [
    (function_declarator declarator: (_) @name)
    (_ (function_declarator declarator: (_) @name))
    (_ (_ (function_declarator declarator: (_) @name)))
  ]) @definition.function

(function_definition declarator: [(operator_cast) (qualified_identifier)] @name) @definition.function

(declaration
  declarator: [
    (function_declarator declarator: [(destructor_name) (operator_name)] @name)
    (_ (function_declarator declarator: [(destructor_name) (operator_name)] @name))
    (operator_cast) @name
  ]) @definition.function

(field_declaration
  declarator: [
    (function_declarator declarator: (operator_name) @name)
    (_ (function_declarator declarator: (operator_name) @name))
  ]) @definition.function

(class_specifier name: (_) @name body: (_)) @definition.class

(struct_specifier name: (_) @name body: (_)) @definition.class

(union_specifier name: (_) @name body: (_)) @definition.class

(alias_declaration name: (type_identifier) @name) @definition.type

(concept_definition name: (identifier) @name) @definition.type

; What a macro declares: `TEST(name) {`.
(function_definition
  declarator: (parenthesized_declarator (identifier) @name)) @definition.function

(preproc_function_def name: (identifier) @name) @definition.macro

(declaration
  declarator: (init_declarator
    declarator: [
      (identifier) @name
      (_ (identifier) @name)
    ]
    value: (initializer_list))) @definition.constant
