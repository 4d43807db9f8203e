// The npm package's tracker without its client, which needs a compiled WebRTC: node javascript.mjs PORT
import Server from 'bittorrent-tracker/server'

const server = new Server({ http: true, udp: true, ws: false, stats: false })
server.listen(Number(process.argv[2]), { http: '127.0.0.1', udp: '127.0.0.1', udp6: '::1' })
