; The grammar's own tags know no enums, and no functions without a name of their own.

[(comment) (attribute_list)] @doc

(enum_declaration name: (name) @name) @definition.enum

(assignment_expression
  left: (variable_name) @name
  right: [(anonymous_function) (arrow_function)]) @definition.function

(const_declaration (const_element (name) @name)) @definition.constant
