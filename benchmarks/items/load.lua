-- What volunteers ask: each connection claims an item, reports it, and claims the next. `claims` asks for claims alone.
local alone, held, wanted = false, nil, {}
local headers = {["Content-Type"] = "application/json", ["User-Agent"] = "ArchiveTeam Warrior/0.10.3 Standalone"}

function init(args)
    alone = args[1] == "claims"
    claim = wrk.format("POST", wrk.path .. "/request", headers, '{"downloader":"ann","api_version":"2"}')
    done = '{"downloader":"ann","version":"20260101.01","bytes":{"data":1234},"item":"%s"}'
end

-- wrk has one script for all connections of a thread: what was claimed on any of them may be reported on any.
function request()
    local item = table.remove(wanted)
    if alone or not item then return claim end
    return wrk.format("POST", wrk.path .. "/done", headers, done:format(item))
end

function response(status, _, body)
    if status ~= 200 then
        wrk.thread:stop()
        return
    end
    local item = not alone and body:match('"item_name":"([^"]*)"')
    if item then wanted[#wanted + 1] = item end
end
