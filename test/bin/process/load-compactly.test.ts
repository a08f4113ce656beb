import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const measure = async (load: string) => {
  const program = `
    import { getHeapSpaceStatistics } from 'node:v8'
    import { loadCompactly } from '#bin/process/load-compactly.ts'
    const kept = []
    const load = async () => { for (let i = 0; i < 3_000_000; i++) if (i % 3 === 0) kept.push({ i }) }
    ${load}
    const { space_size } = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
    console.log(space_size)`
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--max-semi-space-size=64',
    '--input-type=module',
    '--eval',
    program,
  ])
  return Number(stdout)
}

describe('loadCompactly', () => {
  it('keeps the young generation small while it loads', async () => {
    const [compact, usual] = await Promise.all([
      measure('await loadCompactly(load)'),
      measure('await load()'),
    ])
    expect(compact).toBeLessThan(usual / 2)
  })

  it('lets the young generation grow again afterwards', async () => {
    const [compact, later] = await Promise.all([
      measure('await loadCompactly(load)'),
      measure('await loadCompactly(async () => {}); await load()'),
    ])
    expect(later).toBeGreaterThan(compact * 2)
  })
})
