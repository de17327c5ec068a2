; Declarations only TypeScript has.

(public_field_definition
  name: (_) @name
  value: [(arrow_function) (function_expression)]) @definition.method

(method_signature name: (_) @name) @definition.method

(internal_module name: (_) @name) @definition.module

(module name: (_) @name) @definition.module

(enum_declaration name: (identifier) @name) @definition.enum

(type_alias_declaration name: (type_identifier) @name) @definition.type
