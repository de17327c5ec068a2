local M = {}

local POLICIES = {
  "lru",
  "fifo",
  "mru",
  "lfu",
}

-- Makes an empty cache.
function M.new(capacity)
  local self = { entries = {}, capacity = capacity }
  return setmetatable(self, { __index = M })
end

--[[ The entry of a key,
     or nil. ]]
function M:get(key)
  self.hits = self.hits + 1
  return self.entries[key]
end

M.clear = function(self)
  self.entries = {}
  self.hits = 0
end

local function hash(key)
  local sum = #key
  return sum
end

local handlers = {
  on_evict = function(key)
    print("evicted", key)
    return true
  end,
  ["on miss"] = function(key)
    print("missed", key)
    return false
  end,
}

return M
