local pool = require("lib.pool")
local M = {}
MAX = 10
local count <const> = 0

-- A pool.
local Pool = { size = 3, run = function(x) return x end }
Pool.__index = Pool

--- Makes one.
function Pool.new(size, ...)
  local self = setmetatable({}, Pool)
  self.items = {}
  return self
end

function Pool:acquire(timeout)
  for i, item in ipairs(self.items) do item:ping() end
  local c, d = Factory.create(self), 2
  c.run(function(a) return a.go(d) end)
  helper "x"
  for k = 1, 10 do use(k) end
  return c
end

local function hidden(a) return a end
function top(a, b) hidden(a).x = b end
M.fn = function(q) q() end
M.a.b.deep = 3
return M
