import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startGateway } from '#bin/start-gateway.ts'
import type { Label } from '#contracts/route-table.ts'
import { rowOf } from '#contracts/shared/row.ts'
import type { RunningGateway } from '#gateway/node/start-node-gateway.ts'
import { isThorough, sampleCases } from '#test/support/count-cases.ts'
import { type DatabaseRelay, startDatabaseRelay } from '#test/support/database-relay.ts'
import { errorBody } from '#test/support/error-body.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { countRows, environmentOfWrites, prepareWrite, sendWrite, writes } from './write-cases.ts'

const inProgress = { status: 409, text: JSON.stringify(errorBody('idempotency_in_progress')) }

/**
 * The minimum number of tries for each write. Each try pauses the write at one statement. Everyday runs try only a
 * sample of the writes, once at every fifth statement.
 */
const minTrials = isThorough ? 200 : 1
const everydayStride = 5
// This write removes its own scope. If it is paused between resolving the scope and removing the pack, it must not
// return 404.
const everyStatement: Label = 'packs.remove'
const pausedWrites = new Set([everyStatement, ...sampleCases(writes, 0.25)])

describe('a write that is retried on another instance while the first instance is paused', () => {
  const gateway = startTestGateway({
    billing: true,
    storage: true,
    environment: environmentOfWrites,
    nativeLabels: writes.filter((label) => rowOf(label).runtime === 'proxy'),
  })
  let relay: DatabaseRelay
  let paused: RunningGateway
  beforeAll(async () => {
    relay = await startDatabaseRelay(gateway.database.url)
    paused = await startGateway({
      settings: {
        ...gateway.settings,
        DATABASE_URL: relay.url,
        DATABASE_DIRECT_URL: gateway.database.directUrl,
        DATABASE_POOL_SIZE: 1,
      },
      log: createRecordingLog(),
    })
  })
  afterAll(async () => {
    await paused.close()
    await relay.close()
  })

  /** Holds back everything sent to the database, from message number `step` on, until `resume` is called. */
  const pauseAt = (step: number) => {
    const reached = Promise.withResolvers<void>()
    const resumed = Promise.withResolvers<void>()
    let sent = 0
    relay.onStatement = () => {
      sent += 1
      if (sent < step) return null
      reached.resolve()
      return resumed.promise
    }
    return {
      reached: reached.promise.then(() => 'reached' as const),
      resume() {
        relay.onStatement = () => null
        resumed.resolve()
      },
    }
  }

  const countAdditions = async (work: () => Promise<unknown>) => {
    const before = await countRows(gateway)
    await work()
    const after = Object.entries(await countRows(gateway))
    return after
      .map(([name, count]) => [name, count - (before[name] ?? 0)] as const)
      .filter(([, added]) => added)
  }

  /** Returns whether the pause was reached. After the last statement, there is nothing left to pause. */
  const tryAt = async (label: Label, step: number, expected: unknown) => {
    const write = await prepareWrite(gateway, label)
    const key = crypto.randomUUID()
    const pause = pauseAt(step)
    let isReached = true
    const additions = await countAdditions(async () => {
      const late = sendWrite(paused.url, write, key)
      isReached = (await Promise.race([pause.reached, late])) === 'reached'
      const first = await sendWrite(gateway.url, write, key)
      pause.resume()
      const responses = [first, await late, await sendWrite(gateway.url, write, key)]
      const applied = responses.filter(({ status, isReplayed }) => status < 300 && !isReplayed)
      expect(applied, `paused at ${step}: ${JSON.stringify(responses)}`).toHaveLength(1)
      for (const response of responses)
        if (response.isReplayed) expect(response).toEqual({ ...applied[0], isReplayed: true })
        else if (response !== applied[0]) expect(response, `paused at ${step}`).toMatchObject(inProgress)
      expect(responses[2]?.isReplayed).toBe(true)
    })
    expect(additions, `paused at ${step}`).toEqual(expected)
    return isReached
  }

  it.each([...pausedWrites])(
    '%s has one effect and one response, wherever the first instance is paused',
    { timeout: 600_000 },
    async (label) => {
      const single = await prepareWrite(gateway, label)
      const expected = await countAdditions(() => sendWrite(paused.url, single, crypto.randomUUID()))
      const stride = isThorough || label === everyStatement ? 1 : everydayStride
      const first = 1 + (writes.indexOf(label) % stride)
      let tried = 0
      do {
        for (let step = first; await tryAt(label, step, expected); step += stride) tried += 1
        tried += 1
      } while (tried < minTrials)
    },
  )
})
