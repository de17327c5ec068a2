defmodule Store.Cache do
  @moduledoc "Keeps the entries that were used last."

  use GenServer

  @doc """
  The entry of a key.
  """
  @spec get(pid, String.t()) :: term
  def get(cache, key) when is_binary(key) do
    value = GenServer.call(cache, {:get, key})
    value
  end

  def clear(cache), do: GenServer.cast(cache, :clear)

  @impl true
  def init(_options) do
    state = %{}
    {:ok, state}
  end

  defmacro cached(key, do: block) do
    key = Macro.escape(key)
    quote(do: {unquote(key), unquote(block)})
  end

  def left + right do
    merged = Map.merge(left, right)
    merged
  end

  defguard is_key(key) when is_binary(key)
end

defimpl Enumerable, for: Store.Cache do
  def count(cache) do
    size = map_size(cache)
    {:ok, size}
  end
end

defprotocol Store.Loads do
  def load(source, key)
end
