import { runServer } from '../run-server.ts'
import { startAnalyser } from './start-analyser.ts'

runServer('sandbox analyser', async (required) => {
  const { url, close } = await startAnalyser({ secret: required('MEDIA_INTELLIGENCE_SECRET') })
  return { url, close }
})
