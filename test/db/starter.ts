import { startEmbeddedPostgres } from '#db/embedded/start.ts'

// A process of its own that starts an embedded database and holds it until somebody ends the process.
const server = await startEmbeddedPostgres({
  dataDir: process.argv[2] ?? '',
  durable: process.argv[3] === 'durable',
})
process.send?.({ url: server.url, pid: server.pid })
setInterval(() => undefined, 60_000)
