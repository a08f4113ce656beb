import { setTimeout as sleep } from 'node:timers/promises'
import type { RecordedClient } from './recorded-client.ts'
import { createTrack, keepLibrary, subscribe, uploadVersion } from './visits.ts'

const visitorCount = 6
const pauseMs = 20

/**
 * Simulates several visitors until it is stopped. Each visit comes from a new account. One more visitor uploads one
 * file after another.
 */
export const startDeployLoad = (
  client: RecordedClient,
  mintToken: (accountId: string) => Promise<string>,
) => {
  const visits = { completed: 0, playback: new Map<string, number>() }
  let isRunning = true

  const repeat = async (visit: (accountId: string, token: string) => Promise<void>) => {
    while (isRunning) {
      const accountId = `acct_${crypto.randomUUID()}`
      await visit(accountId, await mintToken(accountId))
      await sleep(pauseMs)
    }
  }
  const visit = async (accountId: string, token: string) => {
    await subscribe(client, accountId, token)
    await keepLibrary(client, token)
    await createTrack(client, token)
    visits.completed++
  }
  const upload = async (_: string, token: string) => {
    const status = await uploadVersion(client, token)
    visits.playback.set(status, (visits.playback.get(status) ?? 0) + 1)
  }
  const running = Promise.all([...Array.from({ length: visitorCount }, () => repeat(visit)), repeat(upload)])
  const uploads = () => [...visits.playback.values()].reduce((sum, count) => sum + count, 0)

  return {
    /** The number of uploads by their playback status after processing. */
    playback: visits.playback,
    /** Resolves after `count` more visits and two more uploads, so the second upload began after the call. */
    async waitForVisits(count: number) {
      const [visited, uploaded] = [visits.completed + count, uploads() + 2]
      while (visits.completed < visited || uploads() < uploaded) await Promise.race([sleep(50), running])
    },
    async stop() {
      isRunning = false
      await running
    },
  }
}
