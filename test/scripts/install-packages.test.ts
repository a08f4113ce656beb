import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'

const script = join(import.meta.dirname, '../../scripts/install-packages.sh')
// The script's PATH contains only this folder's programs, so the packages count as missing and nothing is installed.
const folder = mkdtempSync(join(tmpdir(), 'install-packages-'))
const log = join(folder, 'log')
afterAll(() => rmSync(folder, { recursive: true }))

const writeProgram = (name: string, body: string) => {
  writeFileSync(join(folder, name), `#!/bin/bash\n${body}\n`)
  chmodSync(join(folder, name), 0o755)
}
writeProgram('id', 'echo 1000')
writeProgram('sudo', 'shift; echo "$*" >>"$LOG"; case "$*" in *"$REJECTED"*) exit 1 ;; esac')

const run = (args: readonly string[], rejected = 'nothing') => {
  rmSync(log, { force: true })
  const { status, stdout, stderr } = spawnSync('/bin/bash', [script, ...args], {
    encoding: 'utf8',
    env: { PATH: folder, LOG: log, REJECTED: rejected, CHROMIUM_PATH: join(folder, 'chromium') },
  })
  const commands = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []
  return { status, stdout, stderr, commands }
}
const isInstallation = (command: string) => command.includes('apt-get install')

describe('scripts/install-packages.sh', () => {
  it('lists what is missing, without installing anything', () => {
    const { status, stdout, commands } = run(['--list'])
    expect(status).toBe(0)
    expect(stdout.split('\n')).toEqual(expect.arrayContaining(['chromium', 'ffmpeg', 'jq', 'prometheus']))
    expect(commands).toEqual([])
  })

  it('does not list what is installed', () => {
    writeProgram('jq', 'exit 0')
    const { stdout } = run(['--list'])
    rmSync(join(folder, 'jq'))
    expect(stdout.split('\n')).not.toContain('jq')
  })

  it('installs everything that is missing if it runs as root', () => {
    const missing = run(['--list']).stdout.trim().split('\n')
    const { status, commands } = run([])
    expect(status).toBe(0)
    expect(commands[0]).toBe('apt-get update -qq')
    const [installation = ''] = commands.filter(isInstallation)
    expect(installation).toContain('DEBIAN_FRONTEND=noninteractive')
    expect(installation.endsWith(` ${missing.join(' ')}`)).toBe(true)
  })

  it("starts no services, and restores the machine's service policy", () => {
    const isMissing = !existsSync('/usr/sbin/policy-rc.d')
    for (const rejected of ['nothing', 'apt-get install']) {
      const { commands } = run([], rejected)
      const at = commands.findIndex(isInstallation)
      const writes = commands.findIndex((command) => /^install .*policy-rc\.d$/.test(command))
      expect(writes >= 0 && writes < at).toBe(isMissing)
      expect(commands.at(-1) === 'rm -f /usr/sbin/policy-rc.d').toBe(isMissing)
    }
  })

  it('names the packages that it could not install', () => {
    const { status, stderr } = run([], 'apt-get update')
    expect(status).toBe(1)
    expect(stderr).toMatch(/^could not install git chromium ffmpeg .*\n$/)
  })
})
