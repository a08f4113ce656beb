import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { version } from '#gateway/observability/version.ts'

it('the version that processes report is that of package.json', () => {
  const file = readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')
  expect(JSON.parse(file).version).toBe(version)
})
