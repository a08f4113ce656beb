import { runServer } from '../run-server.ts'
import { startObjectStore } from './start-object-store.ts'

runServer('sandbox object store', async (required) => {
  const { endpoint, close } = await startObjectStore({
    directory: required('STORAGE_DIRECTORY'),
    accessKeyId: required('STORAGE_ACCESS_KEY_ID'),
    secretAccessKey: required('STORAGE_SECRET_ACCESS_KEY'),
  })
  return { url: endpoint, close }
})
