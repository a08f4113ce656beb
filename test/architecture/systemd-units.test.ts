import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readJobSettings, readSettings } from '#gateway/settings/settings.ts'
import { root } from './source-files.ts'

const read = (file: string) => readFileSync(join(root, 'ops', file), 'utf8')
const listValues = (unit: string, key: string) =>
  [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value)

// Stands in for /etc/crossfade/environment. Kubernetes uses this file, so its test checks that no required setting is
// missing.
const environmentFile = parseEnv(read('kubernetes/overlays/production/settings.env'))

/** Reads an instance's variables, with a sample value for each secret that the unit loads. */
const readVariables = (unit: string, instance: string) => {
  const loaded = listValues(unit, 'LoadCredential').map((line) => line.split(':')[0] ?? '')
  const given = listValues(unit, 'Environment')
    .flatMap((line) => line.replaceAll('%i', instance).split(' '))
    .map((assignment) => assignment.split('=') as [string, string])
  const variables = given.flatMap(([name, value]) => {
    if (!value.startsWith('%d/')) return [[name, value]]
    const isLoaded = loaded.includes(value.slice(3)) && name === `${value.slice(3)}_FILE`
    const sample = name.includes('URL') ? 'postgres://crossfade@127.0.0.1/crossfade' : 'a-secret-of-any-kind'
    return isLoaded && name !== 'OPERATORS_FILE' ? [[value.slice(3), sample]] : []
  })
  return { ...Object.fromEntries(variables), ...environmentFile }
}

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0

describe.each(['crossfade@', 'crossfade-jobs@'])('%s.service', (name) => {
  const unit = read(`systemd/${name}.service`)

  it('restarts without limit, and sends the stop signal only to its main process', () => {
    expect(listValues(unit, 'StartLimitIntervalSec')).toEqual(['0'])
    expect(listValues(unit, 'Restart')).toEqual(['always'])
    expect(listValues(unit, 'KillMode')).toEqual(['mixed'])
  })

  it.runIf(hasSystemd)('is a valid unit', () => {
    const folder = mkdtempSync(join(tmpdir(), 'crossfade-units-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const verify = (text: string) => {
      const file = join(folder, `${name}8001.service`)
      writeFileSync(file, text.replace('/usr/bin/node', process.execPath))
      return spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' }).stderr
    }
    expect(verify(unit)).toBe('')
    expect(verify(unit.replace('KillMode', 'KilMode'))).toContain('KilMode')
  })
})

it('the units have the settings that their programs require, and a port per instance', () => {
  const gateway = readSettings(readVariables(read('systemd/crossfade@.service'), '8001'))
  expect(gateway).toMatchObject({ PORT: 8001, ADMIN_PORT: 18001 })
  const jobs = readJobSettings(readVariables(read('systemd/crossfade-jobs@.service'), '8789'), () => true)
  expect(jobs).toMatchObject({ JOBS_ADMIN_PORT: 8789 })
})

it('PgBouncer has a higher limit on open files than on client connections', () => {
  const [, clients] = /^max_client_conn = (\d+)$/m.exec(read('pgbouncer/pgbouncer.ini')) ?? []
  const [files] = listValues(read('systemd/pgbouncer.service.d/crossfade.conf'), 'LimitNOFILE')
  expect(Number(files)).toBeGreaterThan(Number(clients))
})
