import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')

describe('.gitignore', () => {
  it('ignores the files where developers keep secrets', () => {
    const files = [
      '.dev.vars',
      '.dev.vars.staging',
      '.env',
      '.env.local',
      '.data/gateway-secret',
      '.secrets/gateway-secret',
    ]
    const ignored = execFileSync('git', ['check-ignore', '--no-index', ...files, '.env.example'], {
      cwd: root,
    })
    expect(ignored.toString().trim().split('\n')).toEqual(files)
  })
})
