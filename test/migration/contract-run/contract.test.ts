import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../../..')

const contract = (...flags: string[]) =>
  new Promise<{ code: number; stderr: string }>((resolve) => {
    const child = execFile(
      process.execPath,
      ['gateway/start/contract.ts', ...flags],
      { cwd: root },
      (_, __, stderr) => resolve({ code: child.exitCode ?? -1, stderr }),
    )
  })

describe('npm run contract', () => {
  it.each([
    [
      'an area that nothing is in',
      ['--area', 'nowhere'],
      'no route that both sides serve is in the area nowhere',
    ],
    ['a flag nobody knows', ['--speed', '9'], "Unknown option '--speed'"],
  ])('compares nothing of %s, and does not call that clean', async (_, flags, reason) => {
    const { code, stderr } = await contract(...flags)
    expect(code).toBe(2)
    expect(stderr).toContain(`contract: ${reason}`)
  })
})
