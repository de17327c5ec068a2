; The grammar's own tags give `get` for `function M.get`, and the whole table for each function in it.

(comment) @doc

(function_declaration name: (_) @name) @definition.function

(assignment_statement
  (variable_list . name: (_) @name)
  (expression_list . value: (function_definition))) @definition.function

(field name: (_) @name value: (function_definition)) @definition.function

(chunk
  (variable_declaration
    (assignment_statement
      (variable_list . name: (identifier) @name)
      (expression_list . value: (table_constructor))) @definition.constant))
