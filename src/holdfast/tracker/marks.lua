-- What the records are brought up to: what a mark stands for is read in one step, and the mark taken away in
-- another; and the indexes are put right from what they index.
--
-- t:x:dirty and all else is described in functions.lua, which writes it. The first key that a step is given is
-- t:x:dirty, and tells how names begin.

local call, T, DIRTY

local function lend(keys)
    call, DIRTY = redis.call, keys[1]
    T = DIRTY:sub(1, -8)
end

-- Other programs write some of these keys, too: what is of another type is as good as absent.
local function read(...)
    local got = redis.pcall(...)
    return type(got) == 'table' and not got.err and got or {}
end

local function whole(number)
    return string.format('%.0f', number)
end

-- How the records must know each: a member's totals, a torrent's counts, a member's standing --------------------

local function totals(uid)
    return read('HMGET', T .. 'u:' .. uid, 'born', 'uploaded', 'downloaded')
end

local function counts(tid)
    local ih = call('GET', T .. 'x:ih:' .. tid)
    if not ih then return {} end
    return read('HMGET', T .. 't:' .. ih, 'born', 'uploaded', 'downloaded', 'seeders', 'leechers')
end

-- What his active clients there did since it was added to the session's sums.
local function running(tid, pid, sums)
    local got = read('HMGET', T .. 'p:' .. tid .. ':' .. pid, 'total_time', 'uploaded', 'downloaded', 'folded')
    local before = {0, 0, 0}
    if got[4] then before = {got[4]:match('^(%d+) (%d+) (%d+)$')} end
    for place = 1, 3 do
        sums[place] = sums[place] + math.max(0, (tonumber(got[place]) or 0) - (before[place] or 0))
    end
end

local function standing(pair)
    local uid, tid = pair:match('^(%d+):(%d+)$')
    if not uid then return {} end
    local found, said, clients = read('HGETALL', T .. 'ut:' .. pair), {}, {0, 0}
    for place = 1, #found, 2 do said[found[place]] = found[place + 1] end
    local sums = {tonumber(said.time) or 0, tonumber(said.uploaded) or 0, tonumber(said.downloaded) or 0}
    for field, role in pairs(said) do
        if field:sub(1, 1) == '@' then
            local side = role == '1' and 1 or 2
            clients[side] = clients[side] + 1
            running(tid, field:sub(2), sums)
        end
    end
    local user = T .. 'u:' .. uid
    local has = redis.pcall('SISMEMBER', user .. ':complete', tid) == 1 and 1
        or redis.pcall('SISMEMBER', user .. ':incomplete', tid) == 1 and 0
    return {read('HMGET', user, 'born')[1] or false, whole(sums[2]), whole(sums[3]), whole(sums[1]), clients[1], clients[2],
        has, said.snatched or false, said.hnr or false}
end

local KINDS = {u = totals, t = counts, s = standing}

-- Marks; for each what it stands for, as it is now.
local function look(keys, args)
    lend(keys)
    local found = {}
    for place, mark in ipairs(args) do
        local show = KINDS[mark:sub(1, 1)]
        found[place] = show and show(mark:sub(2)) or {}
    end
    return found
end

-- Marks, each with the step that it had: those that no step has renewed are taken away.
local function settle(keys, args)
    lend(keys)
    local settled = 0
    for place = 1, #args, 2 do
        if call('HGET', DIRTY, args[place]) == args[place + 1] then
            settled = settled + call('HDEL', DIRTY, args[place])
        end
    end
    return settled
end

-- Marks that nothing has changed, for whoever finds that the records differ.
local function mark(keys, args)
    lend(keys)
    local step = call('INCR', T .. 'x:step') .. '-' .. call('TIME')[2]
    for _, each in ipairs(args) do call('HSET', DIRTY, each, step) end
    return #args
end

-- Indexes ---------------------------------------------------------------------------------------------------------

local INDEXED = {'seeders', 'leechers', 'snatches'}

-- Swarms of the open mode have longer ones, and stand in no index.
local LONGEST_NUMBER = 10

-- Torrent ids: their places in the indexes as their own counts say; how many were wrong.
local function index(keys, args)
    lend(keys)
    local mended = 0
    for _, tid in ipairs(args) do
        local ih = #tid <= LONGEST_NUMBER and call('GET', T .. 'x:ih:' .. tid)
        local got = ih and read('HMGET', T .. 't:' .. ih, 'born', unpack(INDEXED)) or {}
        for place, name in ipairs(INDEXED) do
            local key = T .. 'i:' .. name
            local score = tonumber(call('ZSCORE', key, tid) or nil)
            local wanted = got[1] and (tonumber(got[place + 1]) or 0) or nil
            if score ~= wanted then
                mended = mended + 1
                if wanted then call('ZADD', key, wanted, tid) else call('ZREM', key, tid) end
            end
        end
    end
    return mended
end

-- The totals over all, from the indexes. Torrents of one count are counted at once: a million peers make no more
-- than 1,414 different counts, so that nobody waits for this.
local function total(keys)
    lend(keys)
    local sums = {}
    for place = 1, 2 do
        local key, sum, last = T .. 'i:' .. INDEXED[place], 0, '0'
        while true do
            local above = call('ZRANGE', key, '(' .. last, '+inf', 'BYSCORE', 'LIMIT', 0, 1, 'WITHSCORES')
            if not above[1] then break end
            last = above[2]
            sum = sum + tonumber(last) * call('ZCOUNT', key, last, last)
        end
        call('SET', T .. 'stats:' .. INDEXED[place], whole(sum))
        sums[place] = sum
    end
    return sums
end

register('look', look, 'no-writes')
register('settle', settle)
register('mark', mark)
register('index', index)
register('total', total)
