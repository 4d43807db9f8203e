-- The swarm, changed in atomic steps. Every count here is the size of something that the same step changes.
--
-- t:t:<ih>                 hash    the torrent: seeders, leechers, partial, snatches, announces, uploaded, downloaded,
--                                  torrent_id; s4 l4 s6 l6: how many records each packed list below holds
-- t:tpeers:<ih>            set     peer ids that are active in the swarm
-- t:p:<tid>:<pid>          hash    one peer. Beside what the seed names: raw_up, raw_dn (what the client counts, from
--                                  which differences are taken); x (there while active: role, owner and endpoints,
--                                  as the worker packs them); p4, p6 (its places in the packed lists); folded
-- t:ptimeout:<tid>:<pid>   string  there as long as the peer is thought alive
-- t:p:<pid>:torrents       set     torrents that a peer id is active in
-- t:u:<uid>                hash    a member's totals as credited: uploaded, downloaded, snatches
-- t:u:<uid>:active|complete|incomplete|hnr   sets of torrent ids
-- t:ut:<uid>:<tid>         hash    a member on a torrent: time, uploaded, downloaded of ended sessions; snatched, hnr;
--                                  and a field @<pid> for each of his active peers there
-- t:i:seeders|leechers|snatches   zsets  torrent ids by count
-- t:stats:*                strings the totals over all
-- t:x:<s|l><4|6>:<tid>     string  packed records: owner (4 bytes) and endpoint (6 or 18); the peer ids (20 bytes) in
--                                  the same order in …:p; what lies beyond the count is left over
-- t:x:ih:<tid>             string  the info hash by which a torrent's keys are named
-- t:x:deadlines            zset    tid:pid by the time when the peer must be looked at again
-- t:x:dirty                set     members and torrents whose totals the records do not have yet

-- What the store lends to a running function, and does not have yet while the library is loaded.
local call, unpack_struct, pack_struct, floor, min, max

local NONE, COMPLETED, STARTED, STOPPED, PAUSED = 0, 1, 2, 3, 4
local LEECH, SEED, PARTIAL = 0, 1, 2
local OK, EARLY, FOREIGN, FULL, NO_SLOT = 0, 1, 2, 3, 4
local WIDTH = {['4'] = 10, ['6'] = 22}

local function hex(raw)
    return (raw:gsub('.', function(c) return string.format('%02x', c:byte()) end))
end

local function raw(text)
    return (text:gsub('..', function(c) return string.char(tonumber(c, 16)) end))
end

-- What x packs: role, owner, then the endpoints that the peer has, zeros for those it has not.
local NO4, NO6 = ('\0'):rep(6), ('\0'):rep(18)

local function roles(x)
    return {role = x:byte(1), owner = x:sub(2, 5), ep4 = x:sub(6, 11), ep6 = x:sub(12, 29)}
end

-- Packed lists -----------------------------------------------------------------------------------------------

local function list_add(at, list, record)
    local place = call('HINCRBY', at.torrent, list, 1) - 1
    local key = 't:x:' .. list .. ':' .. at.tid
    call('SETRANGE', key, place * #record, record)
    call('SETRANGE', key .. ':p', place * 20, raw(at.pid))
    return place
end

-- The last one takes the place of the one that leaves, so that the list has no holes.
local function list_remove(at, list, place)
    local family = list:sub(2)
    local width = WIDTH[family]
    local last = call('HINCRBY', at.torrent, list, -1)
    if place == last then return end
    local key = 't:x:' .. list .. ':' .. at.tid
    call('SETRANGE', key, place * width, call('GETRANGE', key, last * width, last * width + width - 1))
    local moved = call('GETRANGE', key .. ':p', last * 20, last * 20 + 19)
    call('SETRANGE', key .. ':p', place * 20, moved)
    call('HSET', 't:p:' .. at.tid .. ':' .. hex(moved), 'p' .. family, place)
end

local function enlist(at, x)
    local new = roles(x)
    local side = new.role == SEED and 's' or 'l'
    if new.ep4 ~= NO4 then call('HSET', at.peer, 'p4', list_add(at, side .. '4', new.owner .. new.ep4)) end
    if new.ep6 ~= NO6 then call('HSET', at.peer, 'p6', list_add(at, side .. '6', new.owner .. new.ep6)) end
    call('HSET', at.peer, 'x', x, 'ip', at.ip, 'port', at.port)
end

local function delist(at, x)
    local old = roles(x)
    local side = old.role == SEED and 's' or 'l'
    local places = call('HMGET', at.peer, 'p4', 'p6')
    if old.ep4 ~= NO4 then list_remove(at, side .. '4', tonumber(places[1])) end
    if old.ep6 ~= NO6 then list_remove(at, side .. '6', tonumber(places[2])) end
end

-- The books ----------------------------------------------------------------------------------------------------

local function count_peer(at, role, step)
    local field = role == SEED and 'seeders' or 'leechers'
    call('ZADD', 't:i:' .. field, call('HINCRBY', at.torrent, field, step), at.tid)
    call('INCRBY', 't:stats:' .. field, step)
    if role == PARTIAL then call('HINCRBY', at.torrent, 'partial', step) end
end

local function standing(at, role)
    local user, seed = 't:u:' .. at.uid, role == SEED
    call('SREM', user .. (seed and ':incomplete' or ':complete'), at.tid)
    call('SADD', user .. (seed and ':complete' or ':incomplete'), at.tid)
    if seed and at.rules.hnr_clear then
        call('SREM', user .. ':hnr', at.tid)
        call('HDEL', at.session, 'hnr')
    end
end

local function others_there(at)
    local there = {}
    for _, field in ipairs(call('HKEYS', at.session)) do
        if field:sub(1, 1) == '@' and field ~= '@' .. at.pid then there[#there + 1] = field:sub(2) end
    end
    return there
end

-- Hit and run: he took enough, nobody of his is left, and the time he gave is too short.
local function judge(at)
    local got = call('HMGET', at.session, 'time', 'downloaded', 'exempt')
    local time, downloaded = tonumber(got[1] or 0), tonumber(got[2] or 0)
    if got[3] == '1' or downloaded < at.rules.hnr_bytes or time >= at.rules.hnr_seconds then return end
    if call('SADD', 't:u:' .. at.uid .. ':hnr', at.tid) == 1 then call('HSET', at.session, 'hnr', at.now) end
end

-- What a peer did becomes what his owner did on the torrent; each part of it once.
local function fold(at)
    local got = call('HMGET', at.peer, 'total_time', 'uploaded', 'downloaded', 'folded')
    local names, now = {'time', 'uploaded', 'downloaded'}, {}
    local before = {0, 0, 0}
    if got[4] then before = {got[4]:match('^(%d+) (%d+) (%d+)$')} end
    for place, name in ipairs(names) do
        now[place] = got[place] or '0'
        local more = tonumber(now[place]) - tonumber(before[place])
        if more ~= 0 then call('HINCRBY', at.session, name, string.format('%.0f', more)) end
    end
    call('HSET', at.peer, 'folded', table.concat(now, ' '))
end

local function absolve(at)
    fold(at)
    if tonumber(call('HGET', at.session, 'time') or 0) < at.rules.hnr_seconds then return end
    call('SREM', 't:u:' .. at.uid .. ':hnr', at.tid)
    call('HDEL', at.session, 'hnr')
end

-- Transitions ----------------------------------------------------------------------------------------------------

local function leave(at, x)
    delist(at, x)
    count_peer(at, x:byte(1), -1)
    call('SREM', 't:tpeers:' .. at.ih, at.pid)
    call('SREM', 't:p:' .. at.pid .. ':torrents', at.tid)
    call('ZREM', 't:x:deadlines', at.tid .. ':' .. at.pid)
    call('DEL', 't:ptimeout:' .. at.tid .. ':' .. at.pid)
    call('HDEL', at.peer, 'x', 'p4', 'p6')
    call('HSET', at.peer, 'active', 0, 'speed_up', 0, 'speed_dn', 0)
    call('EXPIRE', at.peer, at.rules.remember)
    call('HDEL', at.session, '@' .. at.pid)
    fold(at)
    if #others_there(at) == 0 then
        call('SREM', 't:u:' .. at.uid .. ':active', at.tid)
        judge(at)
    end
end

local function send_away(at, pid)
    local ghost = setmetatable({pid = pid, peer = 't:p:' .. at.tid .. ':' .. pid}, {__index = at})
    local x = call('HGET', ghost.peer, 'x')
    if x then leave(ghost, x) end
end

-- A client that crashed comes back under a new peer id while its old self still stands: nobody else can listen
-- on the same address and port. Where the limit is reached, the one silent for longest from there makes room.
local function make_room(at, new)
    local there, oldest, since = others_there(at), nil, at.now - at.rules.min_gap
    local left = #there
    for _, pid in ipairs(there) do
        local got = call('HMGET', 't:p:' .. at.tid .. ':' .. pid, 'x', 'last_announce')
        local old = got[1] and roles(got[1]) or {}
        local both4 = new.ep4 ~= NO4 and old.ep4 ~= nil and old.ep4 ~= NO4
        local both6 = new.ep6 ~= NO6 and old.ep6 ~= nil and old.ep6 ~= NO6
        if (both4 and old.ep4 == new.ep4) or (both6 and old.ep6 == new.ep6) then
            send_away(at, pid)
            left = left - 1
        elseif tonumber(got[2] or 0) < since and ((both4 and old.ep4:sub(1, 4) == new.ep4:sub(1, 4))
                or (both6 and old.ep6:sub(1, 16) == new.ep6:sub(1, 16))) then
            oldest, since = pid, tonumber(got[2])
        end
    end
    if at.rules.max_peers > 0 and left >= at.rules.max_peers then
        if not oldest then return false end
        send_away(at, oldest)
    end
    return true
end

local function slot_free(at)
    local user = 't:u:' .. at.uid
    if at.rules.slots == 0 or call('SISMEMBER', user .. ':active', at.tid) == 1 then return true end
    return call('SINTERCARD', 2, user .. ':active', user .. ':incomplete') < at.rules.slots
end

local function join(at, x)
    call('SADD', 't:tpeers:' .. at.ih, at.pid)
    call('SADD', 't:p:' .. at.pid .. ':torrents', at.tid)
    call('SADD', 't:u:' .. at.uid .. ':active', at.tid)
    call('HSET', at.session, '@' .. at.pid, at.now)
    call('ZADD', 't:x:deadlines', at.now + at.rules.ttl, at.tid .. ':' .. at.pid)
    if call('HSETNX', at.torrent, 'torrent_id', at.tid) == 1 then
        call('HSET', at.torrent, 'seeders', 0, 'leechers', 0, 'snatches', 0, 'announces', 0)
        call('SET', 't:x:ih:' .. at.tid, at.ih)
    end
    call('PERSIST', at.peer)
    call('HSETNX', at.peer, 'first_announce', at.now)
    call('HSETNX', at.peer, 'completed', 0)
    call('HSET', at.peer, 'user_id', at.uid, 'active', 1)
    count_peer(at, x:byte(1), 1)
    standing(at, x:byte(1))
    enlist(at, x)
end

local function alter(at, old, new)
    delist(at, old)
    if old:byte(1) ~= new:byte(1) then
        count_peer(at, old:byte(1), -1)
        count_peer(at, new:byte(1), 1)
        standing(at, new:byte(1))
    end
    enlist(at, new)
end

local function snatch(at)
    call('HSET', at.peer, 'completed', 1)
    if call('HSETNX', at.session, 'snatched', at.now) == 0 then return end
    call('ZADD', 't:i:snatches', call('HINCRBY', at.torrent, 'snatches', 1), at.tid)
    call('HINCRBY', 't:u:' .. at.uid, 'snatches', 1)
end

-- A client that announces over one family keeps the endpoint that it has in the other.
local function with_other_family(x, old)
    if not old then return x end
    local new, had = roles(x), roles(old)
    local ep4 = new.ep4 == NO4 and had.ep4 or new.ep4
    local ep6 = new.ep6 == NO6 and had.ep6 or new.ep6
    return x:sub(1, 5) .. ep4 .. ep6
end

-- Whether the peer may be in the swarm, and is now as it says; else why not.
local function settle(at, old, x)
    if old and old:sub(2, 5) ~= x:sub(2, 5) then return FOREIGN end
    if at.event == STOPPED then return OK end
    local new = with_other_family(x, old)
    if not old then
        if not make_room(at, roles(new)) then return FULL end
        if new:byte(1) ~= SEED and not slot_free(at) then return NO_SLOT end
        join(at, new)
    elseif old ~= new then
        alter(at, old, new)
    end
    return OK
end

-- Answers --------------------------------------------------------------------------------------------------------

-- k of n records beginning anywhere, round the end.
local function window(list, tid, n, k, start)
    local key, width = 't:x:' .. list .. ':' .. tid, WIDTH[list:sub(2)]
    local from = start % n
    local till = from + k
    local records = call('GETRANGE', key, from * width, min(till, n) * width - 1)
    if till > n then records = records .. call('GETRANGE', key, 0, (till - n) * width - 1) end
    return records
end

-- Leechers meet both, half of each where there are enough; seeders meet leechers only.
local function choose(tid, family, seeds, leeches, seed, want, chance)
    local from_leeches, from_seeds = min(leeches, want), 0
    if not seed then
        from_seeds = min(seeds, max(want - leeches, floor(want / 2)))
        from_leeches = min(leeches, want - from_seeds)
    end
    local records = from_seeds > 0 and window('s' .. family, tid, seeds, from_seeds, chance) or ''
    if from_leeches > 0 then records = records .. window('l' .. family, tid, leeches, from_leeches, chance) end
    return records
end

-- An announce ----------------------------------------------------------------------------------------------------

-- now, rules, then all announces packed one behind the other: one answer for each, in order.
local RECORD = '>c40c40I4I4c29I8I8I8BBI2I4I2I2'
local LENGTH = 153

local function read_rules(packed)
    local rules = {}
    rules.ttl, rules.min_gap, rules.longest_gap, rules.hnr_seconds, rules.hnr_bytes, rules.max_peers, rules.slots,
        rules.remember, rules.hnr_clear = unpack_struct('>I4I4I4I4I8I4I4I4B', packed)
    rules.hnr_clear = rules.hnr_clear == 1
    return rules
end

local function address(x)
    local new = roles(x)
    if new.ep4 ~= NO4 then
        local a, b, c, d, port = unpack_struct('>BBBBI2', new.ep4)
        return a .. '.' .. b .. '.' .. c .. '.' .. d, port
    end
    local groups = {}
    for place = 1, 16, 2 do groups[#groups + 1] = string.format('%x', unpack_struct('>I2', new.ep6, place)) end
    return table.concat(groups, ':'), unpack_struct('>I2', new.ep6, 17)
end

local function announce(_, args)
    call, unpack_struct, pack_struct = redis.call, struct.unpack, struct.pack
    floor, min, max = math.floor, math.min, math.max
    local now, rules, batch = tonumber(args[1]), read_rules(args[2]), args[3]
    local answers, dirty = {}, {}
    for start = 1, #batch, LENGTH do
        local ih, pid, tid, uid, x, uploaded, downloaded, left, event, flags, want, chance, share_up, share_down =
            unpack_struct(RECORD, batch, start)
        local torrent, peer, status = 't:t:' .. ih, 't:p:' .. tid .. ':' .. pid, OK
        local got = call('HMGET', peer, 'x', 'raw_up', 'raw_dn', 'last_announce', 'total_time', 'uploaded',
            'downloaded', 'left', 'speed_up', 'speed_dn')
        local old, last = got[1], tonumber(got[4] or now)
        local gap, at = now - last, nil
        if old ~= x or event ~= NONE then
            at = {now = now, rules = rules, ih = ih, pid = pid, tid = tid, uid = uid, event = event,
                torrent = torrent, peer = peer, session = 't:ut:' .. uid .. ':' .. tid}
            at.ip, at.port = address(x)
            status = settle(at, old, x)
        elseif gap < rules.min_gap then
            status = EARLY
        end
        if status <= EARLY then
            local up, down = 0, 0
            if got[2] and event ~= STARTED then
                up, down = max(0, uploaded - tonumber(got[2])), max(0, downloaded - tonumber(got[3]))
            end
            if got[2] or event ~= STOPPED then
                local time = tonumber(got[5] or 0)
                if old and gap > 0 and gap < rules.longest_gap then time = time + gap end
                call('HSET', peer, 'last_announce', now, 'total_time', time)
                if not got[2] or uploaded ~= tonumber(got[2]) or got[9] ~= '0' then
                    call('HSET', peer, 'raw_up', uploaded, 'uploaded', tonumber(got[6] or 0) + up,
                        'speed_up', gap > 0 and floor(up / gap) or 0)
                end
                if not got[2] or downloaded ~= tonumber(got[3]) or got[10] ~= '0' then
                    call('HSET', peer, 'raw_dn', downloaded, 'downloaded', tonumber(got[7] or 0) + down,
                        'speed_dn', gap > 0 and floor(down / gap) or 0)
                end
                if left ~= tonumber(got[8]) then call('HSET', peer, 'left', left) end
            end
            call('HINCRBY', torrent, 'announces', 1)
            if up > 0 then
                call('HINCRBY', torrent, 'uploaded', up)
                call('HINCRBY', 't:u:' .. uid, 'uploaded', floor(up * share_up / 1000))
                dirty[#dirty + 1] = 'u' .. uid
            end
            if down > 0 then
                call('HINCRBY', torrent, 'downloaded', down)
                call('HINCRBY', 't:u:' .. uid, 'downloaded', floor(down * share_down / 1000))
                dirty[#dirty + 1] = 'u' .. uid
            end
            if event == STOPPED then
                want = 0
                if old then leave(at, old) end
            else
                local timeout = 't:ptimeout:' .. tid .. ':' .. pid
                if call('EXPIRE', timeout, rules.ttl) == 0 then call('SET', timeout, 1, 'EX', rules.ttl) end
            end
            if at and event == COMPLETED and x:byte(1) == SEED and (old or downloaded > 0) then snatch(at) end
        end
        local sizes = call('HMGET', torrent, 'seeders', 'leechers', 'snatches', 's4', 'l4', 's6', 'l6')
        local four, six, seed = '', '', x:byte(1) == SEED
        if want > 0 and status == OK then
            if flags % 2 == 1 then
                four = choose(tid, '4', tonumber(sizes[4] or 0), tonumber(sizes[5] or 0), seed, want, chance)
            end
            if flags >= 2 then
                six = choose(tid, '6', tonumber(sizes[6] or 0), tonumber(sizes[7] or 0), seed, want, chance)
            end
        end
        answers[#answers + 1] = pack_struct('>BI4I4I4I2', status, tonumber(sizes[1] or 0), tonumber(sizes[2] or 0),
            tonumber(sizes[3] or 0), #four) .. four .. six
    end
    call('INCRBY', 't:stats:announces', #answers)
    if #dirty > 0 then call('SADD', 't:x:dirty', unpack(dirty)) end
    return answers
end

-- Expiry: told twice, told late or told wrongly, it does what the keys say.
local function reap(_, args)
    call, unpack_struct, pack_struct = redis.call, struct.unpack, struct.pack
    floor, min, max = math.floor, math.min, math.max
    local now, rules, gone = tonumber(args[1]), read_rules(args[2]), 0
    for place = 3, #args do
        local tid, pid = args[place]:match('^(%d+):(%x+)$')
        local alive = call('TTL', 't:ptimeout:' .. tid .. ':' .. pid)
        if alive > 0 then
            call('ZADD', 't:x:deadlines', now + alive, args[place])
        else
            local peer = 't:p:' .. tid .. ':' .. pid
            local got, ih = call('HMGET', peer, 'x', 'user_id'), call('GET', 't:x:ih:' .. tid)
            call('ZREM', 't:x:deadlines', args[place])
            if got[1] and ih then
                leave({now = now, rules = rules, tid = tid, pid = pid, ih = ih, uid = got[2], peer = peer,
                    torrent = 't:t:' .. ih, session = 't:ut:' .. got[2] .. ':' .. tid}, got[1])
                gone = gone + 1
            end
        end
    end
    return gone
end

register('announce', announce)
register('reap', reap)
