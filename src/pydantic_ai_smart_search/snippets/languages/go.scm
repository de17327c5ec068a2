; The grammar's own tags give a method without its receiver.

(comment) @doc

(method_declaration
  receiver: (parameter_list
    (parameter_declaration
      type: [
        (type_identifier) @scope
        (generic_type type: (_) @scope)
        (pointer_type (type_identifier) @scope)
        (pointer_type (generic_type type: (_) @scope))
      ]))
  name: (field_identifier) @name) @definition.method

(type_alias name: (type_identifier) @name) @definition.type

(method_elem name: (field_identifier) @name) @definition.method

(var_spec name: (identifier) @name value: (expression_list (func_literal))) @definition.function

[(var_spec name: (identifier) @name) (const_spec name: (identifier) @name)] @definition.constant
