-- For wrk: announces from the file that crowd.py wrote, each time round with counts that have grown.
--
--     wrk -t1 -c64 -d5 --latency -s load.lua http://HOST:PORT -- FILE FIRST close|keep [PAUSE]
--
-- FIRST is how many were sent before; with PAUSE a connection rests so many milliseconds on average between two.

local targets, ups, downs = {}, {}, {}
local place, lap, head, pause

local format, log, random = string.format, math.log, math.random

function init(args)
    for line in io.lines(args[1]) do
        local target, up, down = line:match('^(%S+) (%d+) (%d+)$')
        targets[#targets + 1], ups[#ups + 1], downs[#downs + 1] = target, tonumber(up), tonumber(down)
    end
    local first = tonumber(args[2])
    place, lap = first % #targets, math.floor(first / #targets) + 1
    head = ' HTTP/1.1\r\nHost: tracker\r\nUser-Agent: Transmission/4.00\r\nAccept-Encoding: gzip\r\n'
        .. (args[3] == 'close' and 'Connection: close\r\n\r\n' or '\r\n')
    pause = tonumber(args[4])
    if pause then
        function delay() return -log(1 - random()) * pause end
    end
end

function request()
    place = place + 1
    if place > #targets then place, lap = 1, lap + 1 end
    return format('GET %s&uploaded=%d&downloaded=%d%s', targets[place], ups[place] * lap, downs[place] * lap, head)
end

function done(summary, latency)
    local errors = summary.errors
    print(format('{"requests": %d, "seconds": %.6f, "p50": %.3f, "p99": %.3f, "errors": %d, "refused": %d}',
        summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
        errors.connect + errors.write + errors.timeout, errors.status))
end
