; The grammar's own tags take the whole class for each of its methods; these are used instead of them.

[(comment) (multiline_comment)] @doc

(function_declaration "func" . name: _ @name) @definition.function

(protocol_function_declaration "func" . name: _ @name) @definition.method

(init_declaration "init" @name) @definition.constructor

(deinit_declaration "deinit" @name) @definition.method

(subscript_declaration "subscript" @name) @definition.method

(class_declaration "extension" @name name: (_) @name) @definition.class

(typealias_declaration name: (type_identifier) @name) @definition.type

(property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)
  computed_value: (_)) @definition.method

(property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)) @definition.property
