import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { version } from '#gateway/observability/log.ts'

const readVersion = (path: string) =>
  JSON.parse(readFileSync(join(import.meta.dirname, '../..', path), 'utf8')).version

it('processes report the version in package.json', () => {
  expect(readVersion('package.json')).toBe(version)
})

it('the client has the same version as the service', () => {
  expect(readVersion('packages/client/package.json')).toBe(version)
})
