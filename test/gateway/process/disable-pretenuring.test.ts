import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const run = promisify(execFile)
const program = fileURLToPath(import.meta.resolve('./create-waiting-objects.ts'))
const countYoungObjects = async (mode: string) => {
  // While other processes use the CPUs, a compilation beside the loop would be too late for its objects.
  const options = ['--allow-natives-syntax', '--max-semi-space-size=2', '--no-concurrent-recompilation']
  const { stdout } = await run(process.execPath, [...options, program, mode])
  return Number(stdout)
}

it('objects of a place whose objects survive are still created young', async () => {
  expect(await countYoungObjects('disabled')).toBeGreaterThan(9000)
})

// If this fails with another version of Node, the option may not be needed any more.
it('V8 creates them in the old generation otherwise', async () => {
  expect(await countYoungObjects('enabled')).toBeLessThan(1000)
})

it.each(['gateway/server.ts', 'gateway/start/sandbox-gateway.ts'])('%s disables it', (file) => {
  const source = readFileSync(join(import.meta.dirname, '../../..', file), 'utf8')
  expect(source).toMatch(/^disablePretenuring\(\)$/m)
})
