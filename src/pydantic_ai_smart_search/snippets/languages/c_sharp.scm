; The grammar's tags lie outside the package that can be imported, and know classes, interfaces and methods only.

(comment) @doc

[
  (class_declaration name: (identifier) @name)
  (record_declaration name: (identifier) @name)
  (struct_declaration name: (identifier) @name)
  (enum_declaration name: (identifier) @name)
  (interface_declaration name: (identifier) @name)
] @definition.class

[
  (method_declaration name: (identifier) @name)
  (constructor_declaration name: (identifier) @name)
  (destructor_declaration name: (identifier) @name)
  (delegate_declaration name: (identifier) @name)
  (event_declaration name: (identifier) @name)
  (indexer_declaration "this" @name)
  (operator_declaration "operator" @name operator: _ @name)
  (conversion_operator_declaration "operator" @name type: (_) @name)
] @definition.method

(local_function_statement name: (identifier) @name) @definition.function

(property_declaration
  name: (identifier) @name
  value: (arrow_expression_clause)) @definition.method

(property_declaration
  name: (identifier) @name
  accessors: (accessor_list (accessor_declaration body: (_)))) @definition.method

(field_declaration
  (variable_declaration (variable_declarator name: (identifier) @name))) @definition.field
