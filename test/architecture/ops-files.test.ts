import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { productionOptions } from '#dev/bench/gateway-process.ts'
import { nodePrograms } from '#dev/tools/bundle/node-programs.ts'
import { Environment } from '#gateway/settings/settings.ts'
import { root } from './source-files.ts'

const files = [
  'Dockerfile',
  'compose.yaml',
  'ops/compose/env.example',
  'ops/kubernetes/base/gateway.yaml',
  'ops/kubernetes/base/jobs.yaml',
  'ops/kubernetes/base/migrate.yaml',
  'ops/kubernetes/overlays/production/settings.env',
  'ops/kubernetes/overlays/staging/settings.env',
  'ops/systemd/crossfade@.service',
  'ops/systemd/crossfade-jobs@.service',
]
const read = (file: string) => readFileSync(join(root, file), 'utf8')

/**
 * Lists the variables that a file sets for the project's programs: at the start of a line, as a key, or as `- name:`.
 */
const listVariables = (text: string) =>
  [...text.matchAll(/^\s*(?:- name: |ENV )?([A-Z][A-Z0-9_]{2,})(?:[:=]|$| (?=[A-Z_]+=))/gm)].map(
    ([, name = '']) => name,
  )

// These belong to services that stand in for cloud services.
const ofOtherServices = /^(?:POSTGRES_|MINIO_|GF_)/

// Dockerfile instructions, which look like variables.
const instructions = /^(?:FROM|RUN|COPY|USER|WORKDIR|EXPOSE|HEALTHCHECK|CMD|ENV)$/

describe.each(files)('%s', (file) => {
  it('sets no unknown variable', () => {
    const unknown = listVariables(read(file)).filter(
      (name) =>
        !(name.replace(/_FILE$/, '') in Environment.shape) &&
        !ofOtherServices.test(name) &&
        !instructions.test(name),
    )
    expect(unknown).toEqual([])
  })

  it('starts only programs in the bundle', () => {
    const started = [...read(file).matchAll(/\/(?:app|opt\/crossfade)\/([\w-]+)\.mjs/g)].map(
      ([, name]) => name,
    )
    expect(started.filter((name = '') => !(name in nodePrograms))).toEqual([])
  })
})

it('the gateway starts with the same Node options everywhere', () => {
  const starts = ['Dockerfile', 'ops/systemd/crossfade@.service', 'ops/prove-image.sh', 'package.json']
    .concat('docs/deployment.md', 'docs/operations.md')
    .flatMap((file) => read(file).split('\n'))
    .filter((line) => /^(?!.*`).*\bnode\b.*server\.(?:mjs|ts)/.test(line))
  expect(starts).toHaveLength(7)
  for (const start of starts) for (const option of productionOptions) expect(start).toContain(option)
})

it('the container image and .nvmrc have the same Node version as the npm scripts', () => {
  const { optionalDependencies } = JSON.parse(read('package.json'))
  const ofScripts = Object.entries(optionalDependencies).flatMap(([name, version]) =>
    /^node-(?:bin-)?(?:linux|darwin|win)-/.test(name) ? [version] : [],
  )
  const ofImages = [...read('Dockerfile').matchAll(/^FROM node:([\d.]+)-[\w-]+@sha256:/gm)].map(
    ([, version]) => version,
  )
  expect(ofImages).toHaveLength(2)
  expect(new Set([...ofScripts, ...ofImages, read('.nvmrc').trim()]).size).toBe(1)
})
