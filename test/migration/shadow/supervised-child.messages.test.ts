import { describe, expect, it } from 'vitest'
import { openChild, poll } from './open-child.ts'

describe('a supervised child process', { timeout: 60_000 }, () => {
  it.each(['unknownId', 'noId', 'ready', 'noJson', 'empty', 'longFrame'])(
    "is killed at the first message that is not a task's result: %s",
    async (value) => {
      const { child, results, reasons } = openChild({ limits: { backoffMs: 60_000 } })
      child.offer({ kind: 'flood', value })
      await poll(reasons).toEqual(['invalid_message'])
      expect(results).toEqual(['idle'])
      expect(child.pid()).toBeNull()
    },
  )
})
