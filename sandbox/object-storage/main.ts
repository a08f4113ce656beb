import { startObjectStore } from './start-object-store.ts'

const required = (name: string) => {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is missing`)
  return value
}

const start = async () =>
  startObjectStore({
    directory: required('STORAGE_DIRECTORY'),
    accessKeyId: required('STORAGE_ACCESS_KEY_ID'),
    secretAccessKey: required('STORAGE_SECRET_ACCESS_KEY'),
    port: Number(process.env.STORAGE_PORT ?? 0),
  })

const starting = start()

const stop = () => {
  starting
    .then((store) => store.close())
    .then(
      () => process.exit(0),
      () => process.exit(1),
    )
}
process.on('SIGTERM', stop)
process.on('SIGINT', stop)
// The channel to the process that started this one closes when that ends, however it ends.
process.on('disconnect', stop)

starting.then(
  ({ endpoint }) => process.send?.({ url: endpoint }),
  (error: unknown) => {
    process.stderr.write(`sandbox object store: ${error instanceof Error ? error.message : error}\n`)
    process.exit(1)
  },
)
