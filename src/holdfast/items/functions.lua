-- Items, moved in atomic steps: every item is in exactly one of todo, out, done and failed, whatever happens between
-- two steps. A step serves one project; its first key is the project's `out`, which tells how names begin.
--
-- P below is `slug:` (`{slug}:` in the layout `tagged`), and nothing for the default project.
--
-- Ptodo, Ptodo:secondary, Ptodo:redo   sets     unclaimed items, by priority
-- Ptodo:d:<name>                       sets     unclaimed items meant for one downloader; P x:personal names those sets
-- Pout                                 zset     claimed items by the time of the claim
-- Pclaims                              hash     claimed items -> "<address> <name>"
-- Pdone                                set      finished items that the records do not have yet
-- Pdone_counter                        string   first completions, the records' included
-- Plog                                 list     a JSON line for each report
-- Pdownloader_count|bytes|version      hashes   by name
-- Pdownloader_budget                   hash     by name: minus the claims that he holds now
-- Pdomain_bytes                        hash     by domain
-- Pdownloader_chartdata:<name>, Pitems_done_chartdata   lists of [time, sum], a pair a minute at most
-- Prequests_processed:<MM>, Prequests_granted:<MM>      strings by minute of the hour, 300 s
-- Prequests_per_minute, Prequests_per_minute:monitor    strings: the limits, of which the smaller holds
-- Pblocked                             set      names and addresses
-- Px:added                             string   items ever added
-- Px:failed                            hash     items given up -> why
-- Px:late                              hash     items that were taken back -> who held them last, as in claims
-- Px:ended                             hash     items -> how many of their claims ended without a report
-- Px:story                             list     a JSON line for each claim that ended without a report
-- Px:drained, Px:told                  strings  lines of the log and of the story that the records have
-- Px:bucket                            string   when the smooth limit has its next place free

local call, P, TODO, OUT, CLAIMS, DONE, LATE, ENDED, FAILED, PERSONAL, BUDGET

local function lend(keys)
    call = redis.call
    P = keys[1]:sub(1, -4)
    TODO, OUT, CLAIMS, DONE, BUDGET = P .. 'todo', P .. 'out', P .. 'claims', P .. 'done', P .. 'downloader_budget'
    LATE, ENDED, FAILED, PERSONAL = P .. 'x:late', P .. 'x:ended', P .. 'x:failed', P .. 'x:personal'
end

local function number(key)
    local said = call('GET', key)
    return said and tonumber(said)
end

-- Limits ---------------------------------------------------------------------------------------------------------

local OK, BLOCKED, BUSY, LIMITED, EMPTY = 0, 1, 2, 3, 4

local function limit()
    local set, monitor = number(P .. 'requests_per_minute'), number(P .. 'requests_per_minute:monitor')
    if set and monitor then return math.min(set, monitor) end
    return set or monitor
end

local function minute(at)
    return string.format('%02d', math.floor(at / 60) % 60)
end

local function count_minute(name, now, more)
    local key = P .. name .. minute(now)
    if call('INCRBY', key, more) == more then call('EXPIRE', key, 300) end
end

-- How many items may be given now. What the minute before left over may be used in this one, and a minute's share
-- opens over its first fifty seconds, so that nobody waits for the full minute together with all others.
local function by_the_minute(now, most)
    count_minute('requests_processed:', now, 1)
    local cap = limit()
    if not cap then return most end
    local granted = number(P .. 'requests_granted:' .. minute(now)) or 0
    local before = number(P .. 'requests_granted:' .. minute(now - 60)) or 0
    local free = cap * math.min(2, 1 + now % 60 / 50) - granted - math.min(cap, before)
    return math.max(0, math.min(most, math.ceil(free)))
end

-- Items go out at even distances; one that was not asked for in time is not made up for, beyond a second's worth.
local function smoothly(now, most)
    local cap = limit()
    if not cap then return most end
    if cap <= 0 then return 0 end
    local step = 60 / cap
    local next_free = math.max(number(P .. 'x:bucket') or 0, now - math.max(1, step))
    local free = math.floor((now - next_free) / step)
    return math.max(0, math.min(most, free))
end

local function granted(now, smooth, many)
    if smooth then
        local cap = limit()
        if not cap or cap <= 0 then return end
        local step = 60 / cap
        local from = math.max(number(P .. 'x:bucket') or 0, now - math.max(1, step))
        call('SET', P .. 'x:bucket', string.format('%.6f', from + many * step), 'EX', 300)
        return
    end
    count_minute('requests_granted:', now, many)
end

-- Claims ---------------------------------------------------------------------------------------------------------

-- Who holds an item stands in claims as "<address> <name>"; neither has a space in it.
local function name_of(held)
    return held:match(' (.*)$')
end

local function others_first(item, held, queue)
    return queue ~= 'todo:redo' or call('HGET', LATE, item) ~= held
end

-- One that is out already got into a queue past these steps; there it has nothing to look for.
local function take(name, held, many, now)
    local taken, left = {}, many
    for _, queue in ipairs({'todo:d:' .. name, 'todo', 'todo:secondary', 'todo:redo'}) do
        local back = {}
        while left > 0 do
            local popped = call('SPOP', P .. queue, left)
            if #popped == 0 then break end
            for _, item in ipairs(popped) do
                if not others_first(item, held, queue) then
                    back[#back + 1] = item
                elseif call('ZADD', OUT, 'NX', now, item) == 1 then
                    call('HSET', CLAIMS, item, held)
                    taken[#taken + 1], taken[#taken + 2], left = item, queue, left - 1
                end
            end
        end
        if #back > 0 then call('SADD', P .. queue, unpack(back)) end
    end
    return taken, many - left
end

local function is_blocked(name, address)
    local found = call('SMISMEMBER', P .. 'blocked', name, address)
    return found[1] == 1 or found[2] == 1
end

-- How many claims he may have beside those that he has.
local function free_hands(name, most)
    local least = number(P .. 'min_downloader_budget')
    if not least then return most end
    local budget = tonumber(call('HGET', BUDGET, name) or 0)
    return math.max(0, math.min(most, budget - least))
end

-- A claim whose answer was lost is asked for again, with the same moment: it gets what it got.
local function given_before(stamp, held)
    local taken = {}
    for _, item in ipairs(call('ZRANGE', OUT, stamp, stamp, 'BYSCORE')) do
        if call('HGET', CLAIMS, item) == held then taken[#taken + 1], taken[#taken + 2] = item, 'todo' end
    end
    return taken
end

-- The moment, which no other claim has; 1 for the smooth limit; name, address, how many.
local function claim(keys, args)
    lend(keys)
    local stamp, smooth, name, address, many = args[1], args[2] == '1', args[3], args[4], tonumber(args[5])
    local now, held = tonumber(stamp), address .. ' ' .. name
    local before = given_before(stamp, held)
    if #before > 0 then return {OK, before} end
    if is_blocked(name, address) then return {BLOCKED} end
    many = free_hands(name, many)
    if many == 0 then return {BUSY} end
    many = smooth and smoothly(now, many) or by_the_minute(now, many)
    if many == 0 then return {LIMITED} end
    local taken, got = take(name, held, many, stamp)
    if got == 0 then return {EMPTY} end
    granted(now, smooth, got)
    call('HINCRBY', BUDGET, name, -got)
    return {OK, taken}
end

-- Reports --------------------------------------------------------------------------------------------------------

local COUNTED, DUPLICATE, FOREIGN, UNKNOWN = 'c', 'd', 'f', 'u'
local MOST = 2 ^ 53 - 1

local function add_up(hash, field, more)
    local sum = call('HINCRBY', hash, field, more)
    if sum > MOST then
        sum = MOST
        call('HSET', hash, field, string.format('%.0f', MOST))
    end
    return sum
end

local function end_claim(item, held)
    call('ZREM', OUT, item)
    call('HDEL', CLAIMS, item)
    call('HINCRBY', BUDGET, name_of(held), 1)
end

-- A token proves that the name made a claim at a moment; signs of life may have moved it on since. Without one,
-- name and address must be those of the claim.
local function is_theirs(report, item, held)
    if report.claimed and name_of(held) == report.name then
        return tonumber(call('ZSCORE', OUT, item)) >= report.claimed
    end
    return held == report.held
end

local function leave_queues(item)
    return call('SREM', TODO, item) + call('SREM', P .. 'todo:secondary', item)
        + call('SREM', P .. 'todo:redo', item) + call('HDEL', FAILED, item) > 0
end

-- What a report says of one item. Whoever lost an item by being late may report it as long as nobody else has.
local function verdict(report, item)
    local held = call('HGET', CLAIMS, item)
    if held and is_theirs(report, item, held) then
        end_claim(item, held)
        return COUNTED
    end
    if call('HGET', LATE, item) == report.held then
        if held then end_claim(item, held) end
        if held or leave_queues(item) then return COUNTED end
    end
    if held then return FOREIGN end
    return call('SISMEMBER', DONE, item) == 1 and DUPLICATE or UNKNOWN
end

local function settle(report)
    local verdicts, counted = {}, {}
    for place, item in ipairs(report.items) do
        local said = verdict(report, item)
        verdicts[place] = said
        if said == COUNTED then
            counted[#counted + 1] = item
            call('SADD', DONE, item)
            call('HDEL', LATE, item)
            call('HDEL', ENDED, item)
        end
    end
    return table.concat(verdicts), counted
end

-- One point at most each minute and series: boards are drawn from them, and they grow with time, not with work.
local function point(stamp, series, key, form, sum, pairs_key, at)
    call('HSET', P .. 'chart:previous_timestamp', series, stamp)
    call('APPEND', P .. key, string.format('%s=' .. form .. ' ', stamp, sum))
    if pairs_key then call('RPUSH', P .. pairs_key, string.format('[%d,%.0f]', at, sum)) end
end

local function chart(report, stamp, at, items, bytes, his_bytes)
    local seen = call('HMGET', P .. 'chart:previous_timestamp', 'total items', 'total bytes', report.name)
    if seen[1] ~= stamp then
        point(stamp, 'total items', 'chart:total_items', '%08x', items, 'items_done_chartdata', at)
    end
    if seen[2] ~= stamp then point(stamp, 'total bytes', 'chart:total_bytes', '%013x', bytes) end
    if seen[3] ~= stamp then
        point(stamp, report.name, 'chart:downloader_bytes:' .. report.name, '%013x', his_bytes,
            'downloader_chartdata:' .. report.name, at)
    end
end

local function tally(report, count, stamp, at)
    local bytes, every = 0, 0
    for domain, more in pairs(report.bytes) do
        bytes = math.min(MOST, bytes + more)
        add_up(P .. 'domain_bytes', domain, string.format('%.0f', more))
    end
    call('HINCRBY', P .. 'downloader_count', report.name, count)
    local his = add_up(P .. 'downloader_bytes', report.name, string.format('%.0f', bytes))
    local items = call('INCRBY', P .. 'done_counter', count)
    every = add_up(P .. 'x:sums', 'bytes', string.format('%.0f', bytes))
    if report.version ~= '' then call('HSET', P .. 'downloader_version', report.name, report.version) end
    chart(report, stamp, at, items, every, his)
end

-- now, the minute it is, the report; a letter for each of its items.
local function report(keys, args)
    lend(keys)
    local one = cmsgpack.unpack(args[3])
    local verdicts, counted = settle(one)
    if #counted > 0 then tally(one, #counted, args[2], tonumber(args[1])) end
    call('RPUSH', P .. 'log', one.line .. ',"verdicts":"' .. verdicts .. '"}')
    return verdicts
end

-- Claims that end without a report -------------------------------------------------------------------------------

local function tell(now, what, item, held, why)
    local address, name = held:match('^(%S*) (.*)$')
    call('RPUSH', P .. 'x:story', cjson.encode({at = now, what = what, item = item, by = name, ip = address, why = why}))
end

local function take_back(now, item, held, what, why)
    end_claim(item, held)
    call('HSET', LATE, item, held)
    call('SADD', TODO, item)
    tell(now, what, item, held, why)
end

-- An attempt that came to nothing is counted; the item is given up when there were too many. 0: never.
local function count_attempt(item, most, why)
    if call('HINCRBY', ENDED, item, 1) < most or most == 0 then return end
    call('SREM', TODO, item)
    call('HSET', FAILED, item, why)
end

-- Whoever holds an item may hand it back, or say that it failed: now, name and address, "" or why, attempts at
-- most, then items. Answers with those that were his.
local function release(keys, args)
    lend(keys)
    local now, mine, why, most = tonumber(args[1]), args[2], args[3], tonumber(args[4])
    local released = {}
    for place = 5, #args do
        local item = args[place]
        local held = call('HGET', CLAIMS, item)
        if held and (mine == '' or held == mine) then
            take_back(now, item, held, why == '' and 'released' or 'failed', why)
            if why ~= '' then count_attempt(item, most, why) end
            released[#released + 1] = item
        end
    end
    return released
end

local TOO_LATE = 'nobody reported it in time'

-- Claims made before a moment: now, the moment, attempts at most, how many at once. Answers how many there were.
local function expire(keys, args)
    lend(keys)
    local now, most = tonumber(args[1]), tonumber(args[3])
    local late = call('ZRANGE', OUT, '-inf', args[2], 'BYSCORE', 'LIMIT', 0, args[4])
    for _, item in ipairs(late) do
        local held = call('HGET', CLAIMS, item)
        if held then
            take_back(now, item, held, 'expired', '')
            count_attempt(item, most, TOO_LATE)
        else
            -- Somebody else's hand took the claim away; the item must not be lost with it.
            call('ZREM', OUT, item)
            call('SADD', TODO, item)
        end
    end
    return #late
end

-- A sign of life: the claim begins anew. Name and address, now, then items; answers with those that are his.
local function renew(keys, args)
    lend(keys)
    local held, stamp, his = args[1], args[2], {}
    for place = 3, #args do
        if call('HGET', CLAIMS, args[place]) == held then
            call('ZADD', OUT, 'XX', stamp, args[place])
            his[#his + 1] = args[place]
        end
    end
    return his
end

-- Queues ---------------------------------------------------------------------------------------------------------

local function known(items)
    local found = {}
    for _, set in ipairs({'todo', 'todo:secondary', 'todo:redo', 'done'}) do
        for place, there in ipairs(call('SMISMEMBER', P .. set, unpack(items))) do
            found[place] = found[place] or there == 1
        end
    end
    for place, score in ipairs(call('ZMSCORE', OUT, unpack(items))) do found[place] = found[place] or score end
    for place, why in ipairs(call('HMGET', FAILED, unpack(items))) do found[place] = found[place] or why end
    for _, name in ipairs(call('SMEMBERS', PERSONAL)) do
        for place, there in ipairs(call('SMISMEMBER', P .. 'todo:d:' .. name, unpack(items))) do
            found[place] = found[place] or there == 1
        end
    end
    return found
end

-- Which of the items are new to the project, with nothing changed.
local function check(keys, args)
    lend(keys)
    local found, new = known(args), {}
    for place, item in ipairs(args) do
        if not found[place] then new[#new + 1] = item end
    end
    return new
end

-- A queue, then items; answers with those that were new and are in it now.
local function add(keys, args)
    lend(keys)
    local queue = table.remove(args, 1)
    local found, new = known(args), {}
    for place, item in ipairs(args) do
        if not found[place] and call('SADD', P .. queue, item) == 1 then new[#new + 1] = item end
    end
    call('INCRBY', P .. 'x:added', #new)
    local name = queue:match('^todo:d:(.*)$')
    if name and #new > 0 then call('SADD', PERSONAL, name) end
    return new
end

-- Takes back what was added and nobody has claimed since; answers how many there were.
local function undo(keys, args)
    lend(keys)
    local queue = table.remove(args, 1)
    local gone = 0
    for _, item in ipairs(args) do
        if call('SREM', P .. queue, item) == 1 then
            call('HDEL', LATE, item)
            call('HDEL', ENDED, item)
            gone = gone + 1
        end
    end
    call('DECRBY', P .. 'x:added', gone)
    return gone
end

-- Failed items back into the queue, with a clean slate.
local function retry(keys, args)
    lend(keys)
    local back = 0
    for _, item in ipairs(args) do
        if call('HDEL', FAILED, item) == 1 then
            call('HDEL', ENDED, item)
            call('SADD', TODO, item)
            back = back + 1
        end
    end
    return back
end

-- Where an item is, and who holds it: nothing for one that is not here.
local function place(keys, args)
    lend(keys)
    local item = args[1]
    local held = call('HGET', CLAIMS, item)
    if held then return {'out', held} end
    if call('SISMEMBER', DONE, item) == 1 then return {'done', ''} end
    if call('HEXISTS', FAILED, item) == 1 then return {'failed', ''} end
    return {known({item})[1] and 'todo' or '', ''}
end

local function counts(keys)
    lend(keys)
    local todo = call('SCARD', TODO) + call('SCARD', P .. 'todo:secondary') + call('SCARD', P .. 'todo:redo')
    for _, name in ipairs(call('SMEMBERS', PERSONAL)) do todo = todo + call('SCARD', P .. 'todo:d:' .. name) end
    return {todo, call('ZCARD', OUT), number(P .. 'done_counter') or 0, call('HLEN', FAILED), number(P .. 'x:added') or 0}
end

local MARKS = {log = 'x:drained', ['x:story'] = 'x:told'}

-- The oldest lines of a list that are here, behind the number of those that are not any more.
local function tail(keys, args)
    lend(keys)
    local lines = call('LRANGE', P .. args[1], 0, tonumber(args[2]) - 1)
    table.insert(lines, 1, number(P .. MARKS[args[1]]) or 0)
    return lines
end

-- The records have the log, or the story, up to a line: which list, from where they began, how many lines, and
-- which items those finished. Answers 1, or 0 where somebody else was there first.
local function drained(keys, args)
    lend(keys)
    local list, from, lines = args[1], tonumber(args[2]), tonumber(args[3])
    local mark = P .. MARKS[list]
    if (number(mark) or 0) ~= from then return 0 end
    call('LTRIM', P .. list, lines, -1)
    call('SET', mark, string.format('%.0f', from + lines))
    for place = 4, #args do call('SREM', DONE, args[place]) end
    return 1
end

-- Headquarters ---------------------------------------------------------------------------------------------------

-- A warrior says that it runs: for how long that holds, its number, then fields and values. One with a number that we
-- never gave is not remembered.
local function warrior(keys, args)
    local instance, ids = keys[1], keys[2]
    if tonumber(args[2]) > tonumber(redis.call('GET', ids) or 0) then return 0 end
    redis.call('HSET', instance, unpack(args, 3))
    redis.call('EXPIRE', instance, args[1])
    return 1
end

register('warrior', warrior)
register('claim', claim)
register('report', report)
register('release', release)
register('expire', expire)
register('renew', renew)
register('check', check)
register('add', add)
register('undo', undo)
register('retry', retry)
register('place', place)
register('counts', counts)
register('tail', tail)
register('drained', drained)
