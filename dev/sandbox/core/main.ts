import { runServers } from '../run-servers.ts'
import { startSandboxCore } from './start-core.ts'

runServers('sandbox core', async () => {
  const { url, close } = await startSandboxCore(process.env)
  return { ready: { url }, close }
})
