import { startEmbeddedPostgres } from '#dev/postgres/start.ts'

// Starts an embedded database in a separate process and keeps it until the process ends.
const server = await startEmbeddedPostgres({
  dataDir: process.argv[2] ?? '',
  durable: process.argv[3] === 'durable',
})
process.send?.({ url: server.url, pid: server.pid })
setInterval(() => undefined, 60_000)
