import { afterAll, describe, expect, it, vi } from 'vitest'
import { childVariables, createChildProgram } from '#migration/shadow/child-program.ts'
import { createSupervisedChild } from '#migration/shadow/supervised-child.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { copied, shadowedRequest } from './comparer-fixtures.ts'

describe('the process that compares', { timeout: 30_000 }, () => {
  const gateway = startTestGateway()
  const children: { close(): Promise<void> }[] = []
  afterAll(() => Promise.all(children.map((child) => child.close())))

  const compare = (changes: object) => {
    const program = createChildProgram(gateway.settings, gateway.url)
    const settings = { ...JSON.parse(program.env[childVariables.settings] ?? ''), ...changes }
    const log = createRecordingLog()
    const [onResult, onDrop] = [vi.fn(), vi.fn()]
    const child = createSupervisedChild({
      ...program,
      env: { ...program.env, [childVariables.settings]: JSON.stringify(settings) },
      parseResult: (result) => result,
      onResult,
      onDrop,
      log,
      limits: { backoffMs: 30_000 },
    })
    children.push(child)
    const [native, core] = [copied(200, {}), copied(200, {})]
    const compared = {
      kind: 'compare',
      label: 'tracks.list',
      request: shadowedRequest('/v1/tracks'),
    } as const
    const task = { ...compared, native, core }
    child.offer(task)
    return { log, onResult }
  }

  it("runs its parent's code", async () => {
    const { onResult } = compare({})
    await vi.waitFor(() => expect(onResult).toHaveBeenCalledOnce(), { timeout: 20_000 })
  })

  it('does not start if the sources have been replaced, because its results would count for different code', async () => {
    const { log, onResult } = compare({ build: 'of another deployment' })
    await vi.waitFor(() => expect(log.lines).toHaveLength(1), { timeout: 20_000 })
    expect(log.lines).toMatchObject([
      {
        message: 'shadow process exited',
        fields: { reason: 'exited', failure: { name: 'StaleSourcesError' } },
      },
    ])
    expect(onResult).not.toHaveBeenCalled()
  })
})
