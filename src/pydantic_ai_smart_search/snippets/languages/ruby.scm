; The grammar's own tags know every method, class and module.

(comment) @doc

(call
  method: (identifier) @keyword
  arguments: (argument_list . (simple_symbol) @name)
  block: (_)
  (#any-of? @keyword "define_method" "define_singleton_method")) @definition.method

(assignment left: (constant) @name right: (_)) @definition.constant
