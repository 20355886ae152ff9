// Lua scripts that Redis runs atomically: append events to their topics and wake readers; start a topic's numbering.

/**
 * Appends events of one tenant, in order, each to all its topics.
 *
 * KEYS: unstored, then meta and stream of each topic, then the fence of each scope.
 * ARGV: run id, '1' for a retry, publish command, stream length, stream ms, meta ms, number of topics, channel and
 *   key of each topic, then of each event: nonce, fence index or 0, token, order or 0, type, time, '1' if durable,
 * merge key, body,
 *   number of its topics, their indexes.
 * Returns OK and per event 'F' (fenced), 'D' (published before) or generation and number per topic; or INIT with the
 * index of a topic that must be started first, and then nothing was appended.
 */
export const appendScript = `
local run, again, publish = ARGV[1], ARGV[2] == '1', ARGV[3]
local topics = tonumber(ARGV[7])
local fences = 1 + 2 * topics
for i = 1, topics do
  if redis.call('HGET', KEYS[2 * i], 'run') ~= run then return {'INIT', tostring(i)} end
end
local function seen(stream, nonce)
  for _, entry in ipairs(redis.call('XREVRANGE', stream, '+', '-', 'COUNT', 1000)) do
    if entry[2][10] == nonce then return string.match(entry[1], '(%d+)-(%d+)') end
  end
end
local gens, answer = {}, {'OK'}
local at = 8 + 2 * topics
while at <= #ARGV do
  local nonce, fence, token = ARGV[at], tonumber(ARGV[at + 1]), ARGV[at + 2]
  local order = tonumber(ARGV[at + 3])
  local kind, time, durable, merge, body = ARGV[at + 4], ARGV[at + 5], ARGV[at + 6], ARGV[at + 7], ARGV[at + 8]
  local count = tonumber(ARGV[at + 9])
  local refused = false
  if fence > 0 then
    local highest, last = string.match(redis.call('GET', KEYS[fences + fence]) or '', '^(%d+):?(%d*)')
    highest, last = tonumber(highest or ''), tonumber(last or '') or 0
    if highest and tonumber(token) < highest then refused = 'F'
    elseif order > 0 and order <= last and not (again and seen(KEYS[2 * tonumber(ARGV[at + 10]) + 1], nonce)) then
      refused = 'D'
    elseif not highest or tonumber(token) > highest or order > last then
      redis.call('SET', KEYS[fences + fence], token .. ':' .. math.max(order, last), 'PX', ARGV[6])
    end
  end
  if refused then answer[#answer + 1] = refused end
  for n = 1, refused and 0 or count do
    local topic = tonumber(ARGV[at + 9 + n])
    local meta, stream = KEYS[2 * topic], KEYS[2 * topic + 1]
    local gen, seq
    if again then gen, seq = seen(stream, nonce) end
    if not gen then
      gen = gens[topic] or redis.call('HGET', meta, 'gen')
      gens[topic] = gen
      seq = tostring(redis.call('HINCRBY', meta, 'seq', 1))
      redis.call('XADD', stream, 'MAXLEN', '~', ARGV[4], gen .. '-' .. seq,
        't', kind, 'a', time, 'd', durable, 'm', merge, 'n', nonce, 'b', body)
      local channel, key = ARGV[6 + 2 * topic], ARGV[7 + 2 * topic]
      if durable == '1' then redis.call('ZADD', KEYS[1], time, key .. '|' .. gen .. '|' .. seq) end
      redis.call(publish, channel,
        gen .. '\\n' .. seq .. '\\n' .. kind .. '\\n' .. time .. '\\n' .. durable .. '\\n' .. merge .. '\\n' .. body)
    end
    answer[#answer + 1] = gen
    answer[#answer + 1] = seq
  end
  at = at + 10 + count
end
for i = 1, topics do
  redis.call('PEXPIRE', KEYS[2 * i], ARGV[6])
  redis.call('PEXPIRE', KEYS[2 * i + 1], ARGV[5])
end
return answer
`;

/**
 * Starts a topic in this run of Redis, unless another node has since its meta was read.
 *
 * KEYS: meta, stream. ARGV: run id, run id and generation of the meta that was read ('' for none), next generation or
 *   '' to keep the present one, meta ms, publish command, channel.
 */
export const startScript = `
local run = redis.call('HGET', KEYS[1], 'run') or ''
local gen = redis.call('HGET', KEYS[1], 'gen') or ''
if run ~= ARGV[2] or gen ~= ARGV[3] then return 0 end
if ARGV[4] ~= '' then
  redis.call('DEL', KEYS[2])
  redis.call('HSET', KEYS[1], 'gen', ARGV[4], 'seq', 0)
  redis.call(ARGV[6], ARGV[7], ARGV[4] .. '\\n0')
end
redis.call('HSET', KEYS[1], 'run', ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[5])
return 1
`;
