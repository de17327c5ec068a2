; The grammar's own tags count an `impl` as a reference.

[(line_comment) (block_comment) (attribute_item)] @doc

(impl_item
  "impl" @name
  trait: (_)? @name
  "for"? @name
  type: (_) @name) @definition.impl

(function_signature_item name: (identifier) @name) @definition.method

[(const_item name: (identifier) @name) (static_item name: (identifier) @name)] @definition.constant
