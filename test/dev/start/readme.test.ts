import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runProject, userEnvironment } from './run-project.ts'
import { isInstalled, openShell, shells } from './shells.ts'
import { commandBlocks, expectations, pastedBlocks, pasteTour } from './tour.ts'

describe('the commands in the README and the tour', () => {
  it.each(shells.filter(({ name }) => isInstalled(name)))('can be parsed by $name', ({ name }) => {
    expect(commandBlocks.length).toBeGreaterThan(10)
    for (const block of commandBlocks) {
      const { status, stderr } = spawnSync(name, ['-n'], { input: block, encoding: 'utf8' })
      expect([block, status, stderr]).toEqual([block, 0, ''])
    }
  })

  it('contain no glob patterns and no comments (an interactive zsh treats comments as arguments)', () => {
    for (const block of commandBlocks) {
      expect(block).not.toMatch(/(?:^|\s)#/m)
      const unquoted = block.replace(/'[^']*'|"(?:\\.|[^"\\])*"/g, '')
      expect(unquoted).not.toMatch(/[?*]/)
    }
  })
})

describe.runIf(process.env.THOROUGH)('the commands in the README and the tour, run by a shell', () => {
  let project: Awaited<ReturnType<typeof runProject>>
  beforeAll(async () => {
    project = await runProject()
  }, 90_000)
  afterAll(() => project.stop(), 60_000)

  it.each(shells.filter(({ name }) => isInstalled(name)))(
    'print what the pages promise in $name, without any error',
    async (selected) => {
      const shell = openShell(selected, project.folder, userEnvironment)
      // The first shell changes the sandbox: Bob is no longer on the free plan, and a route stays killed.
      await pasteTour(shell, {
        url: project.url,
        buyer: selected.name === 'bash' ? 'acct_bob' : 'acct_dave',
        movesRoutes: selected.name === 'bash',
      })
      shell.close()
    },
    180_000,
  )

  it('have an expected output for each pasted block', () => {
    expect(pastedBlocks.length).toBe(expectations.length)
  })
})
