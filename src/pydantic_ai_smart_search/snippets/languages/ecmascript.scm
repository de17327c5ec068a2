; JavaScript and TypeScript alike. The grammar's own tags leave out what has no plain identifier for a name, and the
; object in `app.use = function`.

[(comment) (decorator)] @doc

(method_definition name: (_) @name) @definition.method

(pair
  key: [(string) (computed_property_name)] @name
  value: [(arrow_function) (function_expression)]) @definition.function

(assignment_expression
  left: (member_expression) @name
  right: [(arrow_function) (function_expression) (generator_function)]) @definition.function

(assignment_expression left: (_) @name right: (class)) @definition.class

(variable_declarator name: (identifier) @name value: (generator_function)) @definition.function

(variable_declarator name: (identifier) @name value: (class)) @definition.class

; A component or handler that is wrapped as it is declared: `const Button = memo(() => ...)`.
(program
  [
    (lexical_declaration
      (variable_declarator
        name: (identifier) @name
        value: (call_expression
          arguments: (arguments . [(arrow_function) (function_expression)]))) @definition.function)
    (export_statement
      (lexical_declaration
        (variable_declarator
          name: (identifier) @name
          value: (call_expression
            arguments: (arguments . [(arrow_function) (function_expression)]))) @definition.function))
  ])

(program
  [
    (lexical_declaration (variable_declarator name: (identifier) @name) @definition.constant)
    (variable_declaration (variable_declarator name: (identifier) @name) @definition.constant)
    (export_statement
      (lexical_declaration (variable_declarator name: (identifier) @name) @definition.constant))
  ])
