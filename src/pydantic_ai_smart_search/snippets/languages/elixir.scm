; The grammar's own tags miss `defimpl` and operators.

(comment) @doc

(unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @keyword
    (#any-of? @keyword "doc" "spec" "impl" "typedoc" "deprecated" "since"))) @doc

(call
  target: (identifier) @keyword
  (arguments
    .
    (alias) @scope
    (keywords (pair value: (alias) @name)))
  (#any-of? @keyword "defimpl")) @definition.module

(call
  target: (identifier) @keyword
  (arguments
    .
    [
      (binary_operator operator: _ @name)
      (unary_operator operator: _ @name)
    ])
  (#any-of? @keyword "def" "defp" "defmacro" "defmacrop" "defguard")) @definition.function
