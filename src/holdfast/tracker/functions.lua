-- The swarm, changed in atomic steps. Every count here is the size of something that the same step changes.
--
-- Names are as in the layout `classic`; in `tagged` they begin with {t}: instead of t:, for a step changes keys of
-- a torrent, of its members and of the whole house at once, so they must share a slot. The first key that a step
-- is given is the one of the deadlines, and tells how names begin.
--
-- t:t:<ih>                 hash    the torrent: seeders, leechers, partial, snatches, announces, uploaded, downloaded,
--                                  time (of ended sessions), torrent_id; born, by which a hash made anew is known;
--                                  lists: how many records the packed lists s4, l4, s6, l6 hold
-- t:tpeers:<ih>            set     peer ids that are active in the swarm
-- t:p:<tid>:<pid>          hash    one peer. Beside what the seed names: x, there while active (role, owner, then the
--                                  IPv4 and IPv6 endpoints he has); raw (what the client counts, see `moved`); p4, p6
--                                  (his places in the packed lists); folded (what his owner's t:ut has of him)
-- t:ptimeout:<tid>:<pid>   string  there as long as the peer is thought alive
-- t:p:<pid>:torrents       set     torrents that a peer id is active in
-- t:u:<uid>                hash    a member's totals as credited: uploaded, downloaded, snatches; time of ended sessions;
--                                  in uploaded_rest, downloaded_rest the thousandths of a byte that were not enough
--                                  for one yet; born
-- t:u:<uid>:active|complete|incomplete|hnr   sets of torrent ids
-- t:ut:<uid>:<tid>         hash    a member on a torrent: time, uploaded, downloaded of ended sessions; snatched, hnr,
--                                  exempt; and a field @<pid> for each of his active peers there: its role
-- t:i:seeders|leechers|snatches   zsets  torrent ids by count
-- t:stats:*                strings the totals over all; peers in swarms of the open mode count as open alone
-- t:x:<s|l><4|6>:<tid>     string  packed records: owner (4 bytes) and endpoint (6 or 18); the peer ids (20 bytes) in
--                                  the same order in …:p; what lies beyond the count is left over
-- t:x:ih:<tid>             string  the info hash by which a torrent's keys are named
-- t:x:deadlines            zset    tid:pid by the time when the peer must be looked at again
-- t:x:owing                zset    uid:tid by the time when a member who left is judged
-- t:x:dirty                hash    what the records do not have yet, each with the step that changed it last: u<uid>
--                                  (totals), t<tid> (counts), s<uid>:<tid> (a member's standing on a torrent)
-- t:x:step                 string  how many steps there were that had something to tell
-- t:x:suspicions           stream  announces that claim more than a line can carry

-- What the store lends to a running function, and does not have yet while the library is loaded.
local call, unpack_struct, pack_struct, floor, min, max

-- How names begin, and what the records must be told of this step.
local T, TORRENT, PEERS, PEER, TIMEOUT, MEMBER, SESSION, STATS, INDEX, HASH, LIST, DEADLINES, OWING
local dirty

local function lend(keys)
    call, unpack_struct, pack_struct = redis.call, struct.unpack, struct.pack
    floor, min, max = math.floor, math.min, math.max
    dirty = {}
    if keys[1] == DEADLINES then return end
    DEADLINES = keys[1]
    T = DEADLINES:sub(1, -12)
    TORRENT, PEERS, PEER, TIMEOUT = T .. 't:', T .. 'tpeers:', T .. 'p:', T .. 'ptimeout:'
    MEMBER, SESSION, STATS, INDEX = T .. 'u:', T .. 'ut:', T .. 'stats:', T .. 'i:'
    HASH, LIST, OWING = T .. 'x:ih:', T .. 'x:', T .. 'x:owing'
end

-- Steps are numbered; the microsecond beside tells them apart where the store lost some and counts again.
local function tell_dirty()
    if not next(dirty) then return end
    local step = call('INCR', T .. 'x:step') .. '-' .. call('TIME')[2]
    local named = {}
    for what in pairs(dirty) do named[#named + 1], named[#named + 2] = what, step end
    for from = 1, #named, 1000 do call('HSET', T .. 'x:dirty', unpack(named, from, min(#named, from + 999))) end
end

local COMPLETED, STARTED, STOPPED, NONE = 1, 2, 3, 0
local SEED, PARTIAL = 1, 2
local OK, EARLY, FOREIGN, FULL, NO_SLOT, CROWDED = 0, 1, 2, 3, 4, 5
local WHOLE_SHARE = 1000
local MOST = 2 ^ 53 - 1

local function hex(raw)
    return (raw:gsub('.', function(c) return string.format('%02x', c:byte()) end))
end

local function raw(text)
    return (text:gsub('..', function(c) return string.char(tonumber(c, 16)) end))
end

-- The endpoints in x, by its length: 11 bytes with IPv4, 23 with IPv6, 29 with both.
local function ends(x)
    return #x ~= 23 and x:sub(6, 11) or nil, #x > 11 and x:sub(-18) or nil
end

local function side(x)
    return x:byte(1) == SEED and 's' or 'l'
end

-- The swarm as a step finds it, changes it and writes it back --------------------------------------------------

-- What is counted under another birth was counted from zero again: the store had lost what it knew.
local function birth(at)
    return at.now .. '-' .. at.chance
end

local function open(at)
    local got = call('HMGET', at.torrent, 'seeders', 'leechers', 'partial', 'lists', 'torrent_id')
    local s4, l4, s6, l6 = 0, 0, 0, 0
    if got[4] then s4, l4, s6, l6 = unpack_struct('>I4I4I4I4', got[4]) end
    at.swarm = {seeders = tonumber(got[1]) or 0, leechers = tonumber(got[2]) or 0, partial = tonumber(got[3]) or 0,
        s4 = s4, l4 = l4, s6 = s6, l6 = l6, born = got[5]}
    at.was = {seeders = at.swarm.seeders, leechers = at.swarm.leechers, partial = at.swarm.partial}
end

-- A swarm of the open mode: its number is longer than any of the catalogue's. Nobody keeps books on those who are
-- in it, and with the last of them all of it goes.
local LONGEST_NUMBER = 10

local function forget(at)
    local gone = {at.torrent, HASH .. at.tid}
    for _, list in ipairs({'s4', 'l4', 's6', 'l6'}) do
        gone[#gone + 1], gone[#gone + 2] = LIST .. list .. ':' .. at.tid, LIST .. list .. ':' .. at.tid .. ':p'
    end
    call('DEL', unpack(gone))
end

local function close(at)
    local swarm, was = at.swarm, at.was
    call('HSET', at.torrent, 'lists', pack_struct('>I4I4I4I4', swarm.s4, swarm.l4, swarm.s6, swarm.l6),
        'seeders', swarm.seeders, 'leechers', swarm.leechers)
    if swarm.partial ~= was.partial then call('HSET', at.torrent, 'partial', swarm.partial) end
    for _, role in ipairs({'seeders', 'leechers'}) do
        if swarm[role] ~= was[role] then
            call('INCRBY', STATS .. (at.open and 'open' or role), swarm[role] - was[role])
            if not at.open then dirty['t' .. at.tid] = true end
        end
        if not at.open and (swarm[role] ~= was[role] or not swarm.born) then
            call('ZADD', INDEX .. role, swarm[role], at.tid)
        end
    end
    if at.open and swarm.seeders + swarm.leechers == 0 then return forget(at) end
    if swarm.born then return end
    call('HSETNX', at.torrent, 'born', birth(at))
    call('HSETNX', at.torrent, 'snatches', 0)
    call('HSETNX', at.torrent, 'announces', 0)
    call('HSET', at.torrent, 'torrent_id', at.tid)
    call('SET', HASH .. at.tid, at.ih)
    if at.open then return end
    dirty['t' .. at.tid] = true
    call('ZADD', INDEX .. 'snatches', tonumber(call('HGET', at.torrent, 'snatches')) or 0, at.tid)
end

local function count(at, role, step)
    local swarm, field = at.swarm, role == SEED and 'seeders' or 'leechers'
    swarm[field] = max(0, swarm[field] + step)
    if role == PARTIAL then swarm.partial = max(0, swarm.partial + step) end
end

local function list_add(at, list, record)
    local place = at.swarm[list]
    local key = LIST .. list .. ':' .. at.tid
    at.swarm[list] = place + 1
    call('SETRANGE', key, place * #record, record)
    call('SETRANGE', key .. ':p', place * 20, raw(at.pid))
    return place
end

-- The last one takes the place of the one that leaves, so that the list has no holes.
local function list_remove(at, list, width, place)
    local last = at.swarm[list] - 1
    at.swarm[list] = last
    if place == last then return end
    local key = LIST .. list .. ':' .. at.tid
    call('SETRANGE', key, place * width, call('GETRANGE', key, last * width, last * width + width - 1))
    local moved = call('GETRANGE', key .. ':p', last * 20, last * 20 + 19)
    call('SETRANGE', key .. ':p', place * 20, moved)
    call('HSET', PEER .. at.tid .. ':' .. hex(moved), 'p' .. list:sub(2), place)
end

local function address(ep4, ep6)
    if ep4 then
        local a, b, c, d, port = unpack_struct('>BBBBI2', ep4)
        return a .. '.' .. b .. '.' .. c .. '.' .. d, port
    end
    local groups = {}
    for place = 1, 16, 2 do groups[#groups + 1] = string.format('%x', unpack_struct('>I2', ep6, place)) end
    return table.concat(groups, ':'), unpack_struct('>I2', ep6, 17)
end

local function enlist(at, x)
    local owner, ep4, ep6 = x:sub(2, 5), ends(x)
    local ip, port = address(ep4, ep6)
    call('HSET', at.peer, 'x', x, 'ip', ip, 'port', port)
    if ep4 then call('HSET', at.peer, 'p4', list_add(at, side(x) .. '4', owner .. ep4)) end
    if ep6 then call('HSET', at.peer, 'p6', list_add(at, side(x) .. '6', owner .. ep6)) end
    count(at, x:byte(1), 1)
end

local function delist(at, x)
    local ep4, ep6 = ends(x)
    local places = call('HMGET', at.peer, 'p4', 'p6')
    if ep4 then list_remove(at, side(x) .. '4', 10, tonumber(places[1])) end
    if ep6 then list_remove(at, side(x) .. '6', 22, tonumber(places[2])) end
    count(at, x:byte(1), -1)
end

-- The member on the torrent --------------------------------------------------------------------------------------

-- His active clients there: their roles by peer id, and how many.
local function clients(at)
    local found, all, many = call('HGETALL', at.session), {}, 0
    for place = 1, #found, 2 do
        if found[place]:sub(1, 1) == '@' then
            all[found[place]:sub(2)], many = tonumber(found[place + 1]), many + 1
        end
    end
    return all, many
end

local function mark_standing(at)
    dirty['s' .. at.uid .. ':' .. at.tid] = true
end

local function absolve(at)
    mark_standing(at)
    call('SREM', MEMBER .. at.uid .. ':hnr', at.tid)
    call('HDEL', at.session, 'hnr')
end

-- Of several clients the one that has least tells what the member has; when all are gone it stays as it was.
local function standing(at, all)
    local whole = true
    for _, role in pairs(all) do whole = whole and role == SEED end
    local user = MEMBER .. at.uid
    call('SREM', user .. (whole and ':incomplete' or ':complete'), at.tid)
    call('SADD', user .. (whole and ':complete' or ':incomplete'), at.tid)
    mark_standing(at)
    if whole and at.rules.hnr_clear then absolve(at) end
end

-- What a peer did becomes what his owner did on the torrent; each part of it once.
local function fold(at)
    local got = call('HMGET', at.peer, 'total_time', 'uploaded', 'downloaded', 'folded')
    local before = {0, 0, 0}
    if got[4] then before = {got[4]:match('^(%d+) (%d+) (%d+)$')} end
    local time = (got[1] or 0) - before[1]
    if time > 0 then
        call('HINCRBY', MEMBER .. at.uid, 'time', time)
        call('HINCRBY', at.torrent, 'time', time)
    end
    for place, name in ipairs({'time', 'uploaded', 'downloaded'}) do
        local more = (got[place] or 0) - before[place]
        if more > 0 and call('HINCRBY', at.session, name, more) > MOST then call('HSET', at.session, name, MOST) end
    end
    call('HSET', at.peer, 'folded', (got[1] or 0) .. ' ' .. (got[2] or 0) .. ' ' .. (got[3] or 0))
end

-- Hit and run: he took enough, nobody of his is left, and the time he gave is too short. Before he is listed he
-- has a time of grace to come back in.
local function judge(at, grace)
    local got = call('HMGET', at.session, 'time', 'downloaded', 'exempt')
    local time, downloaded = tonumber(got[1]) or 0, tonumber(got[2]) or 0
    if got[3] == '1' or downloaded < at.rules.hnr_bytes or time >= at.rules.hnr_seconds then return end
    local user = MEMBER .. at.uid
    if at.rules.hnr_clear and call('SISMEMBER', user .. ':complete', at.tid) == 1 then return end
    if grace > 0 and call('SISMEMBER', user .. ':hnr', at.tid) == 0 then
        return call('ZADD', OWING, at.now + grace, at.uid .. ':' .. at.tid)
    end
    if call('SADD', user .. ':hnr', at.tid) == 0 then return end
    call('HSET', at.session, 'hnr', at.now)
    mark_standing(at)
end

-- Whoever came back to a hit-and-run works it off; true as long as he has to.
local function owes(at)
    fold(at)
    local got = call('HMGET', at.session, 'time', 'hnr')
    if got[2] and (tonumber(got[1]) or 0) >= at.rules.hnr_seconds then absolve(at) end
    return got[2] and (tonumber(got[1]) or 0) < at.rules.hnr_seconds
end

-- Only while a torrent is incomplete and one of his clients there is active does it take a slot.
local function slot_free(at)
    local active, incomplete = MEMBER .. at.uid .. ':active', MEMBER .. at.uid .. ':incomplete'
    if at.open or at.rules.slots == 0 then return true end
    if call('SISMEMBER', active, at.tid) == 1 and call('SISMEMBER', incomplete, at.tid) == 1 then return true end
    return call('SINTERCARD', 2, active, incomplete) < at.rules.slots
end

-- Who must go for a new client to come, or nil where there is no room. A client that crashed comes back under a
-- new peer id while its old self still stands: nobody else can listen on the same address and port. Where the
-- limit is reached, the one silent for longest at the same address makes room.
local function room(at, x)
    local all, left = clients(at)
    local gone, oldest, since = {}, nil, at.now - at.rules.min_gap
    local new4, new6 = ends(x)
    for pid in pairs(all) do
        local got = call('HMGET', PEER .. at.tid .. ':' .. pid, 'x', 'last_announce')
        local old4, old6 = ends(got[1])
        if (new4 and old4 == new4) or (new6 and old6 == new6) then
            gone[#gone + 1], left = pid, left - 1
        elseif (new4 and old4 and old4:sub(1, 4) == new4:sub(1, 4))
                or (new6 and old6 and old6:sub(1, 16) == new6:sub(1, 16)) then
            local last = tonumber(got[2])
            if last < since or (oldest and last == since and pid < oldest) then oldest, since = pid, last end
        end
    end
    if at.rules.max_peers > 0 and left >= at.rules.max_peers then
        if not oldest then return nil end
        gone[#gone + 1] = oldest
    end
    return gone
end

-- Transitions ----------------------------------------------------------------------------------------------------

local function leave(at, x)
    delist(at, x)
    call('SREM', PEERS .. at.ih, at.pid)
    call('SREM', PEER .. at.pid .. ':torrents', at.tid)
    call('ZREM', DEADLINES, at.tid .. ':' .. at.pid)
    call('DEL', TIMEOUT .. at.tid .. ':' .. at.pid)
    if at.open then return call('DEL', at.peer) end
    fold(at)
    call('HDEL', at.peer, 'x', 'p4', 'p6')
    call('HSET', at.peer, 'active', 0, 'speed_up', 0, 'speed_dn', 0)
    call('EXPIRE', at.peer, at.rules.remember)
    call('HDEL', at.session, '@' .. at.pid)
    local all = clients(at)
    if next(all) then return standing(at, all) end
    call('SREM', MEMBER .. at.uid .. ':active', at.tid)
    mark_standing(at)
    judge(at, at.rules.hnr_grace)
end

local function send_away(at, pid)
    local peer = PEER .. at.tid .. ':' .. pid
    leave(setmetatable({pid = pid, peer = peer}, {__index = at}), call('HGET', peer, 'x'))
end

-- What is read most stands first in the hash.
local function join(at, x)
    if at.afresh then call('DEL', at.peer) else call('PERSIST', at.peer) end
    call('HSET', at.peer, 'x', x, 'raw', at.counts, 'last_announce', at.now, 'total_time', at.time,
        'user_id', at.uid, 'active', 1)
    call('HSETNX', at.peer, 'first_announce', at.now)
    call('HSETNX', at.peer, 'completed', 0)
    call('SADD', PEERS .. at.ih, at.pid)
    call('SADD', PEER .. at.pid .. ':torrents', at.tid)
    call('ZADD', DEADLINES, at.now + at.rules.ttl, at.tid .. ':' .. at.pid)
    enlist(at, x)
    if at.open then return end
    call('SADD', MEMBER .. at.uid .. ':active', at.tid)
    call('HSET', at.session, '@' .. at.pid, x:byte(1))
    call('HSETNX', MEMBER .. at.uid, 'born', birth(at))
    call('ZREM', OWING, at.uid .. ':' .. at.tid)
    standing(at, (clients(at)))
    at.owes = call('HEXISTS', at.session, 'hnr') == 1
end

local function alter(at, old, x)
    delist(at, old)
    enlist(at, x)
    if at.open or old:byte(1) == x:byte(1) then return end
    call('HSET', at.session, '@' .. at.pid, x:byte(1))
    standing(at, (clients(at)))
end

-- Whether the peer may be in the swarm, and is now as it says; else why not.
local function settle(at, old, x)
    local takes_slot = x:byte(1) ~= SEED and (not old or old:byte(1) == SEED)
    if takes_slot and not slot_free(at) then
        if old then leave(at, old) end
        return NO_SLOT
    end
    if old then
        alter(at, old, x)
        return OK
    end
    if at.open then
        if (tonumber(call('GET', STATS .. 'open')) or 0) >= at.rules.most_open then return CROWDED end
        join(at, x)
        return OK
    end
    local gone = room(at, x)
    if not gone then return FULL end
    join(at, x)
    for _, pid in ipairs(gone) do send_away(at, pid) end
    return OK
end

-- Accounts -------------------------------------------------------------------------------------------------------

-- raw is what the client counted: 24 bytes uploaded, downloaded, left as they came; then nothing, or a byte of
-- flags, and if DOUBT is among them 16 bytes uploaded, downloaded that were lower than before.
local MOVING, OWES, DOUBT = 1, 2, 4

-- What was moved since the last announce, and what to compare the next with. Counts that go back without a start
-- are either an older announce that comes late, or a client that lost its memory; only the next one can tell: it
-- goes on from the higher counts, or from the lower.
local function moved(had, counts, event, active)
    if not had or (event == STARTED and not active) then return 0, 0, counts end
    local up, down = unpack_struct('>I8I8', counts)
    local had_up, had_down = unpack_struct('>I8I8', had)
    if up >= had_up and down >= had_down then return up - had_up, down - had_down, counts end
    if event == STARTED then return 0, 0, counts end
    if #had == 41 then
        local low_up, low_down = unpack_struct('>I8I8', had, 26)
        if up >= low_up and down >= low_down and (up > low_up or down > low_down) then
            return up - low_up, down - low_down, counts
        end
    end
    return 0, 0, had:sub(1, 24), counts:sub(1, 16)
end

-- The peer's own books; returns what he moved.
local function account(peer, got, counts, event, now, time, owing)
    local flags, gap = got[2] and got[2]:byte(25) or 0, now - (got[3] or now)
    local up, down, kept, low = moved(got[2], counts, event, got[1])
    owing = owing or floor(flags / OWES) % 2 == 1
    local keep_speed = gap <= 0 and got[2]
    local moving = (up > 0 or down > 0) and gap > 0 or (keep_speed and flags % 2 == 1)
    local mark = (moving and MOVING or 0) + (owing and OWES or 0) + (low and DOUBT or 0)
    if mark > 0 then kept = kept .. string.char(mark) .. (low or '') end
    local uploaded, downloaded = min(MOST, (got[5] or 0) + up), min(MOST, (got[6] or 0) + down)
    local left = unpack_struct('>I8', counts, 17)
    if keep_speed then
        call('HSET', peer, 'last_announce', now, 'total_time', time, 'raw', kept, 'uploaded', uploaded,
            'downloaded', downloaded, 'left', left)
    else
        call('HSET', peer, 'last_announce', now, 'total_time', time, 'raw', kept, 'uploaded', uploaded,
            'downloaded', downloaded, 'left', left, 'speed_up', gap > 0 and floor(up / gap) or 0,
            'speed_dn', gap > 0 and floor(down / gap) or 0)
    end
    return up, down, owing and kept
end

-- A member is credited a share in thousandths; what is not enough for a byte waits for the next time.
local function credit(uid, field, bytes, share)
    local user, due = MEMBER .. uid, bytes
    if share ~= WHOLE_SHARE then
        local rest = bytes % 1000 * share
        if share % 1000 ~= 0 then
            rest = rest + (call('HGET', user, field .. '_rest') or 0)
            call('HSET', user, field .. '_rest', rest % 1000)
        end
        due = min(MOST, (bytes - bytes % 1000) / 1000 * share + floor(rest / 1000))
    end
    if due > 0 and call('HINCRBY', user, field, due) > MOST then call('HSET', user, field, MOST) end
end

-- Only who was without it before, or took some of it, can have completed it.
local function snatch(at, old)
    local downloaded = unpack_struct('>I8', at.counts, 9)
    if at.x:byte(1) ~= SEED or (downloaded == 0 and not (old and old:byte(1) ~= SEED)) then return end
    if at.open then
        if call('HGET', at.peer, 'completed') == '0' then call('HINCRBY', at.torrent, 'snatches', 1) end
        return call('HSET', at.peer, 'completed', 1)
    end
    call('HSET', at.peer, 'completed', 1)
    if call('HSETNX', at.session, 'snatched', at.now) == 0 then return end
    call('ZADD', INDEX .. 'snatches', call('HINCRBY', at.torrent, 'snatches', 1), at.tid)
    call('HINCRBY', MEMBER .. at.uid, 'snatches', 1)
    dirty['t' .. at.tid], dirty['u' .. at.uid] = true, true
    mark_standing(at)
end

-- Answers --------------------------------------------------------------------------------------------------------

-- k of n records beginning anywhere, round the end. Asking the store once is cheaper than copying a little more.
local function window(key, width, n, k, chance)
    if k >= n then return call('GETRANGE', key, 0, n * width - 1) end
    local from = chance % n
    local over = from + k - n
    if over <= 0 then return call('GETRANGE', key, from * width, (from + k) * width - 1) end
    if n > 2 * k then
        return call('GETRANGE', key, from * width, n * width - 1) .. call('GETRANGE', key, 0, over * width - 1)
    end
    local all = call('GETRANGE', key, 0, n * width - 1)
    return all:sub(from * width + 1) .. all:sub(1, over * width)
end

-- Leechers meet both, half of each where there are enough; seeders meet leechers only.
local function choose(tid, family, width, seeds, leeches, seed, want, chance)
    local from_seeds = seed and 0 or min(seeds, max(want - leeches, floor(want / 2)))
    local from_leeches = min(leeches, want - from_seeds)
    local records = from_seeds > 0 and window(LIST .. 's' .. family .. tid, width, seeds, from_seeds, chance) or ''
    if from_leeches == 0 then return records end
    return records .. window(LIST .. 'l' .. family .. tid, width, leeches, from_leeches, chance)
end

local function reply(torrent, tid, status, up, down, seed, flags, want, chance)
    local got
    if up > 0 or down > 0 then
        got = call('HMGET', torrent, 'seeders', 'leechers', 'snatches', 'lists', 'announces', 'uploaded', 'downloaded')
    else
        got = call('HMGET', torrent, 'seeders', 'leechers', 'snatches', 'lists', 'announces')
    end
    if status <= EARLY and got[1] then
        local announces = (got[5] or 0) + 1
        if up > 0 or down > 0 then
            call('HSET', torrent, 'announces', announces, 'uploaded', min(MOST, (got[6] or 0) + up),
                'downloaded', min(MOST, (got[7] or 0) + down))
        else
            call('HSET', torrent, 'announces', announces)
        end
    end
    local four, six = '', ''
    if want > 0 and status == OK and got[4] then
        local s4, l4, s6, l6 = unpack_struct('>I4I4I4I4', got[4])
        if flags % 2 == 1 then four = choose(tid, '4:', 10, s4, l4, seed, want, chance) end
        if flags >= 2 then six = choose(tid, '6:', 22, s6, l6, seed, want, chance) end
    end
    return pack_struct('>BI4I4I4I4', status, got[1] or 0, got[2] or 0, got[3] or 0, #four) .. four .. six
end

-- An announce ----------------------------------------------------------------------------------------------------

local function read_rules(packed)
    local rules = {}
    rules.ttl, rules.min_gap, rules.longest_gap, rules.hnr_seconds, rules.hnr_bytes, rules.max_peers, rules.slots,
        rules.remember, rules.hnr_clear, rules.hnr_grace, rules.fastest, rules.most_open =
        unpack_struct('>I4I4I4I4I8I4I4I4BI4I8I4', packed)
    rules.hnr_clear = rules.hnr_clear == 1
    return rules
end

local function scene(now, rules, ih, spot, uid)
    local tid, peer = spot:sub(1, -42), PEER .. spot
    return {now = now, rules = rules, ih = ih, tid = tid, pid = spot:sub(-40), uid = uid, peer = peer,
        torrent = TORRENT .. ih, session = SESSION .. uid .. ':' .. tid, open = #tid > LONGEST_NUMBER}
end

local function work_off(at, kept)
    if owes(at) then return end
    call('HSET', at.peer, 'raw', kept:sub(1, 24) .. string.char(kept:byte(25) - OWES) .. kept:sub(26))
end

-- Everything but the steady announce: comings, changes, completions and goings.
local function turn(at, got)
    local old, x, status, owing = got[1], at.x, OK, false
    if old and old:sub(2, 5) ~= x:sub(2, 5) then return FOREIGN, 0, 0 end
    if not old and got[2] and call('HGET', at.peer, 'user_id') ~= at.uid then
        at.afresh, at.time, got = true, 0, {}
    end
    local stops = at.event == STOPPED
    if stops and not got[2] then return OK, 0, 0 end
    local changes = stops and old or not stops and old ~= x
    if changes then open(at) end
    if changes and not stops then status = settle(at, old, x) end
    local up, down = 0, 0
    if status == OK then
        up, down, owing = account(at.peer, got, at.counts, at.event, at.now, at.time, at.owes)
        if owing then work_off(at, owing) end
        if at.event == COMPLETED then snatch(at, old) end
        if stops and old then leave(at, old) end
    end
    if changes and (status == OK or old) then close(at) end
    return status, up, down
end

-- A client that announces over one family keeps the endpoint that it has in the other.
local function with_other_family(x, old)
    if #x == 11 then return x .. old:sub(-18) end
    return x:sub(1, 5) .. old:sub(6, 11) .. x:sub(6)
end

-- A clock that was ahead for a while has left deadlines that nobody would look at for as long.
local function bring_forward(now, rules)
    local last = call('ZRANGE', DEADLINES, -1, -1, 'WITHSCORES')
    local latest = now + 2 * rules.ttl
    if not last[1] or tonumber(last[2]) <= latest then return end
    for _, spot in ipairs(call('ZRANGE', DEADLINES, '+inf', latest, 'BYSCORE', 'REV', 'LIMIT', 0, 100)) do
        call('ZADD', DEADLINES, now + rules.ttl, spot)
    end
end

-- It is credited all the same: who is wronged by a machine has nobody to talk to.
local function suspect(now, uid, spot, up, down, gap)
    call('XADD', T .. 'x:suspicions', 'MAXLEN', '~', 10000, '*', 'kind', 'speed', 'uid', uid,
        'tid', spot:sub(1, -42), 'pid', spot:sub(-40), 'up', up, 'down', down, 'seconds', gap, 'at', now)
end

-- Of each record the first byte is its length.
local RECORD = '>Bc40Bc0Bc0Bc0c24BBI2I4I2I2'
local SHORTEST = 130

local function whole(batch)
    local place, size = 1, #batch
    while place <= size do
        local length = batch:byte(place)
        if length < SHORTEST then return false end
        place = place + length
    end
    return place == size + 1
end

-- now, rules, then all announces one behind the other: one answer for each, in order.
local function announce(keys, args)
    lend(keys)
    local stamp, rules, batch, answers, place = args[1], read_rules(args[2]), args[3], {}, 1
    local now, longest_gap, min_gap, ttl = tonumber(stamp), rules.longest_gap, rules.min_gap, rules.ttl
    if not whole(batch) then return redis.error_reply('ERR an announce is cut off; the batch was not taken') end
    bring_forward(now, rules)
    while place <= #batch do
        local _, ih, spot, uid, x, counts, event, flags, want, chance, share_up, share_down, after =
            unpack_struct(RECORD, batch, place)
        place = after
        local peer, status, up, down, owing = PEER .. spot, OK, 0, 0, nil
        local got = call('HMGET', peer, 'x', 'raw', 'last_announce', 'total_time', 'uploaded', 'downloaded')
        local old, gap, time = got[1], now - (got[3] or now), got[4] or 0
        if old and gap > 0 and gap < longest_gap then time = time + gap end
        local partly = old and #x ~= #old and #x < 29
        if partly then x = with_other_family(x, old) end
        if event == NONE and old == x then
            if gap < min_gap and not partly then status = EARLY end
            if got[2] == counts then
                call('HSET', peer, 'last_announce', stamp, 'total_time', time)
            else
                up, down, owing = account(peer, got, counts, event, now, time)
                if owing then work_off(scene(now, rules, ih, spot, uid), owing) end
            end
        else
            local at = scene(now, rules, ih, spot, uid)
            at.x, at.counts, at.event, at.time, at.chance = x, counts, event, time, chance
            status, up, down = turn(at, got)
        end
        if (up > 0 or down > 0) and #spot <= LONGEST_NUMBER + 41 then
            if up > 0 then credit(uid, 'uploaded', up, share_up) end
            if down > 0 then credit(uid, 'downloaded', down, share_down) end
            if max(up, down) > rules.fastest * max(gap, 1) then suspect(now, uid, spot, up, down, gap) end
            dirty['u' .. uid], dirty['t' .. spot:sub(1, -42)] = true, true
        end
        if event == STOPPED then
            want = 0
        elseif status <= EARLY and call('EXPIRE', TIMEOUT .. spot, ttl) == 0 then
            call('SET', TIMEOUT .. spot, 1, 'EX', ttl)
        end
        answers[#answers + 1] = reply(TORRENT .. ih, spot:sub(1, -42), status, up, down, x:byte(1) == SEED, flags, want, chance)
    end
    call('INCRBY', STATS .. 'announces', #answers)
    tell_dirty()
    return answers
end

-- Expiry: told twice, told late or told wrongly, it does what the keys say.
local function reap(keys, args)
    lend(keys)
    local now, rules, gone = tonumber(args[1]), read_rules(args[2]), 0
    for place = 3, #args do
        local spot = args[place]
        local alive, ih = call('PTTL', TIMEOUT .. spot), call('GET', HASH .. spot:sub(1, -42))
        local got = call('HMGET', PEER .. spot, 'x', 'user_id')
        if not got[1] or not ih then
            call('ZREM', DEADLINES, spot)
        elseif alive > 0 then
            call('ZADD', DEADLINES, now + math.ceil(alive / 1000), spot)
        else
            local at = scene(now, rules, ih, spot, got[2])
            open(at)
            leave(at, got[1])
            close(at)
            gone = gone + 1
        end
    end
    tell_dirty()
    return gone
end

-- The time of grace is over: now, rules, then uid:tid each. Who has come back is judged when he leaves again.
local function hold_to_account(keys, args)
    lend(keys)
    local now, rules, judged = tonumber(args[1]), read_rules(args[2]), 0
    for place = 3, #args do
        local due = call('ZSCORE', OWING, args[place])
        if due and tonumber(due) <= now then
            local uid, tid = args[place]:match('^(%d+):(%d+)$')
            local at = {now = now, rules = rules, uid = uid, tid = tid, session = SESSION .. args[place]}
            call('ZREM', OWING, args[place])
            if not next((clients(at))) then judge(at, 0) end
            judged = judged + 1
        end
    end
    tell_dirty()
    return judged
end

-- Staff frees a member of what he owes an upload, or takes that back: uid, tid, 1 or 0.
local function exempt(keys, args)
    lend(keys)
    local uid, tid, on = unpack(args)
    local session = SESSION .. uid .. ':' .. tid
    local at = {uid = uid, tid = tid, session = session}
    if on == '0' then
        call('HDEL', session, 'exempt')
        mark_standing(at)
    else
        call('ZREM', OWING, uid .. ':' .. tid)
        absolve(at)
        call('HSET', session, 'exempt', 1)
    end
    tell_dirty()
end

register('announce', announce)
register('reap', reap)
register('hold_to_account', hold_to_account)
register('exempt', exempt)
