import { runServers } from '../run-servers.ts'
import { readCoreSettings } from './settings.ts'
import { startSandboxCore } from './start-core.ts'

runServers('sandbox core', async () => {
  const { url, close } = await startSandboxCore(readCoreSettings(process.env))
  return { ready: { url }, close }
})
