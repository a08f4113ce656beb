import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { bundleWorker } from '#dev/worker/bundle-worker.ts'
import { startWorkerRuntime } from '#dev/worker/worker-runtime.ts'
import { createAccountIds, hashDecisions, selectNative, weights } from './decide-splits.ts'

const ids = createAccountIds()

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url))

describe.each(['numbered', 'uuid'] as const)('a percentage of 100,000 accounts with %s ids', (form) => {
  it('is accurate to half a percentage point, and includes every smaller percentage', () => {
    let smaller: readonly string[] = []
    for (const weightBp of weights) {
      const chosen = new Set(selectNative('libraries.list', weightBp, ids[form]))
      expect(Math.abs(chosen.size / ids[form].length - weightBp / 10_000)).toBeLessThan(0.005)
      expect(smaller.every((accountId) => chosen.has(accountId))).toBe(true)
      smaller = [...chosen]
    }
  })

  it('includes the accounts of smaller percentages in the same area, but other areas select different accounts', () => {
    const chosen = new Set(selectNative('libraries.list', 2500, ids[form]))
    const ofSameArea = selectNative('libraries.shares.list', 500, ids[form])
    expect(ofSameArea.every((accountId) => chosen.has(accountId))).toBe(true)
    const ofOtherArea = selectNative('packs.list', 500, ids[form])
    const common = ofOtherArea.filter((accountId) => chosen.has(accountId)).length
    expect(common / ofOtherArea.length).toBeGreaterThan(0.2)
    expect(common / ofOtherArea.length).toBeLessThan(0.3)
  })
})

describe('the decisions for 100,000 accounts at each weight', () => {
  it('are the same in five processes and in workerd', { timeout: 120_000 }, async () => {
    const runProcess = async () =>
      (await promisify(execFile)(process.execPath, [pathOf('print-decisions.ts')])).stdout
    const { modules } = await bundleWorker(pathOf('worker.ts'))
    const worker = startWorkerRuntime(modules)
    onTestFinished(() => worker.dispose())
    const runWorker = async () => (await fetch((await worker.ready).origin)).text()
    const hashes = await Promise.all([runWorker(), ...Array.from({ length: 5 }, runProcess)])
    expect(hashes).toEqual(Array(6).fill(hashDecisions()))
  })
})
