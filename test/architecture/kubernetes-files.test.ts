import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { parseYaml } from '@redocly/openapi-core'
import { describe, expect, it } from 'vitest'
import {
  readJobSettings,
  readMigrationSettings,
  readSettings,
  settingTypes,
} from '#gateway/settings/settings.ts'
import { readAlertRules } from '#test/support/alerts.ts'
import { findFaults, type KubernetesObject } from '#test/support/kubernetes-schemas.ts'
import { root } from './source-files.ts'

interface Container {
  readonly image: string
  readonly securityContext: object
  readonly envFrom?: readonly object[]
  readonly env?: readonly { readonly name: string; readonly value: string }[]
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[]
}

interface Pod {
  readonly terminationGracePeriodSeconds?: number
  readonly containers: readonly [Container]
  readonly volumes: readonly {
    readonly name: string
    readonly secret?: { readonly items?: readonly { readonly path: string }[] }
  }[]
}

interface Policy {
  readonly ingress: readonly {
    readonly ports: readonly { readonly port: string }[]
    readonly from: readonly { readonly ipBlock?: { readonly cidr: string } }[]
  }[]
}

interface Workload extends KubernetesObject {
  readonly spec: {
    readonly template: { readonly metadata: KubernetesObject['metadata']; readonly spec: Pod }
  }
}

interface Autoscaler extends KubernetesObject {
  readonly spec: { readonly maxReplicas: number }
}

interface Kustomization {
  readonly resources: readonly string[]
  readonly images: readonly { readonly name: string; readonly digest: string }[]
  readonly labels: readonly { readonly pairs: Readonly<Record<string, string>> }[]
  readonly configMapGenerator: readonly { readonly literals?: readonly string[] }[]
  readonly patches: readonly { readonly target: { readonly kind: string }; readonly patch: string }[]
}

const read = (file: string) => readFileSync(join(root, 'ops', file), 'utf8')
const readObjects = (text: string) =>
  text.split(/^---$/m).map((document) => parseYaml(document) as KubernetesObject)
const readKustomization = (folder: string) => parseYaml(read(`${folder}/kustomization.yaml`)) as Kustomization

const base = readKustomization('kubernetes/base')
const objects = [...base.resources.map((file) => `kubernetes/base/${file}`), 'pgbouncer/pgbouncer.yaml']
  .map(read)
  .flatMap(readObjects)
const find = (kind: string, name: string) => {
  const found = objects.find((object) => object.kind === kind && object.metadata.name === name)
  if (!found) throw new Error(`there is no ${kind} ${name}`)
  return found
}
const isWorkload = (object: KubernetesObject): object is Workload =>
  object.kind === 'Deployment' || object.kind === 'Job'
const workloads = objects.filter(isWorkload)
const podOf = (kind: string, name: string) => (find(kind, name) as Workload).spec.template.spec
const common = parseEnv(base.configMapGenerator.flatMap(({ literals = [] }) => literals).join('\n'))

/** Reads the variables of a pod's container, with a sample value for each secret whose file is mounted. */
const readVariables = ({ containers: [container], volumes }: Pod, settings: NodeJS.Dict<string>) => {
  const mounted = volumes.flatMap(({ name, secret }) => {
    const folder = container.volumeMounts.find((mount) => mount.name === name)?.mountPath
    return (secret?.items ?? []).map(({ path }) => `${folder}/${path}`)
  })
  const ofContainer = (container.env ?? []).flatMap(({ name, value }) => {
    if (!name.endsWith('_FILE')) return [[name, value]]
    const sample = name.includes('URL') ? 'postgres://crossfade@127.0.0.1/crossfade' : 'a-secret-of-any-kind'
    // Without `items`, whole secrets are mounted, so the file is there.
    const isMounted = mounted.length === 0 || mounted.includes(value)
    return isMounted && name !== 'OPERATORS_FILE' ? [[name.replace(/_FILE$/, ''), sample]] : []
  })
  return { ...(container.envFrom ? settings : {}), ...Object.fromEntries(ofContainer) }
}

it.each(objects)('$kind $metadata.name matches its schema', (object) => {
  expect(findFaults(object)).toEqual([])
})

it('the schema check reports a wrong type, a missing field and an unknown field', () => {
  const change = (from: string, to: string) =>
    findFaults(JSON.parse(JSON.stringify(find('Deployment', 'crossfade-jobs')).replace(from, to)))
  expect(change('"replicas":2', '"replicas":"two"')).toEqual([expect.stringContaining('replicas')])
  expect(change('"selector"', '"selektor"')).toEqual([expect.stringContaining('selector')])
  expect(change('"capabilities"', '"capabilitys"')).toContain(
    '/spec/template/spec/containers/0/securityContext/capabilitys is no field',
  )
})

it('every pod runs unprivileged and without a Kubernetes API token', () => {
  expect(workloads).toHaveLength(4)
  for (const { spec } of workloads) {
    expect(spec.template.spec).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    })
    for (const { securityContext } of spec.template.spec.containers)
      expect(securityContext).toEqual({
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      })
  }
})

it('gateways and job workers have 10 s more than DRAIN_MS to shut down', () => {
  for (const name of ['crossfade-gateway', 'crossfade-jobs'])
    expect(podOf('Deployment', name).terminationGracePeriodSeconds).toBe(Number(common.DRAIN_MS) / 1000 + 10)
})

it('only Prometheus can reach the admin listeners', () => {
  for (const name of ['crossfade-gateway', 'crossfade-jobs'])
    expect(find('NetworkPolicy', name)).toMatchObject({
      spec: {
        podSelector: { matchLabels: { app: name } },
        policyTypes: ['Ingress'],
        ingress: [
          { ports: [{ port: 'admin' }], from: [{ podSelector: { matchLabels: expect.any(Object) } }] },
        ],
      },
    })
})

it('Prometheus labels the pods with the job names that the alerts select', () => {
  const selected = new Set(
    readAlertRules().flatMap(({ expression }) =>
      [...expression.matchAll(/job="([\w-]+)"/g)].map(([, job]) => job),
    ),
  )
  const monitored = ['crossfade-gateway', 'crossfade-jobs']
  expect(monitored).toEqual(expect.arrayContaining([...selected]))
  expect(find('PodMonitor', 'crossfade')).toMatchObject({
    spec: { jobLabel: 'app', selector: { matchExpressions: [{ key: 'app', values: monitored }] } },
  })
})

// During a deployment, old and new instances run at the same time.
it("PgBouncer accepts enough connections for twice the autoscaler's maximum number of gateways", () => {
  const autoscaler = find('HorizontalPodAutoscaler', 'crossfade-gateway') as Autoscaler
  const [, limit] = /^max_client_conn = (\d+)$/m.exec(read('pgbouncer/pgbouncer.ini')) ?? []
  const poolSize = settingTypes.DATABASE_POOL_SIZE.parse(undefined)
  expect(Number(limit)).toBeGreaterThan(2 * autoscaler.spec.maxReplicas * poolSize)
})

const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0
const render = (overlay: string) =>
  readObjects(
    execFileSync('kubectl', ['kustomize', join(root, 'ops/kubernetes/overlays', overlay)], {
      encoding: 'utf8',
    }),
  )

describe.each(['staging', 'production'])('the overlay %s', (overlay) => {
  const folder = `kubernetes/overlays/${overlay}`
  const kustomization = readKustomization(folder)
  const settings = { ...common, ...parseEnv(read(`${folder}/settings.env`)) }

  it('has the settings that each program requires', () => {
    expect(() =>
      readSettings(readVariables(podOf('Deployment', 'crossfade-gateway'), settings)),
    ).not.toThrow()
    expect(() =>
      readJobSettings(readVariables(podOf('Deployment', 'crossfade-jobs'), settings), () => true),
    ).not.toThrow()
    expect(() =>
      readMigrationSettings(readVariables(podOf('Job', 'crossfade-migrate-VERSION'), settings)),
    ).not.toThrow()
  })

  it('trusts exactly the proxies that its network policy lets in', () => {
    const admitted = kustomization.patches
      .filter(({ target }) => target.kind === 'NetworkPolicy')
      .flatMap(({ patch }) => parseYaml(patch) as readonly { readonly value: Policy['ingress'][number] }[])
      .flatMap(({ value }) => value.from.map(({ ipBlock }) => ipBlock?.cidr))
    expect(admitted.length).toBeGreaterThan(0)
    expect(settings.TRUSTED_PROXIES?.split(',')).toEqual(admitted)
  })

  it('pins its image by digest, and labels its objects with the environment that the alerts use', () => {
    expect(kustomization.images).toMatchObject([{ digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) }])
    expect(kustomization.labels).toMatchObject([{ pairs: { environment: overlay } }])
  })

  it.runIf(hasKubectl)('renders objects that match their schemas, with images pinned by digest', () => {
    const rendered = render(overlay)
    expect(rendered.flatMap(findFaults)).toEqual([])
    for (const { spec } of rendered.filter(isWorkload))
      for (const { image } of spec.template.spec.containers) expect(image).toMatch(/@sha256:[0-9a-f]{64}$/)
  })

  it.runIf(hasKubectl)('names the job after the version, and gives it no generated config map', () => {
    const [job] = render(overlay).filter(({ kind }) => kind === 'Job')
    const version = job?.metadata.labels?.['app.kubernetes.io/version']
    expect(job?.metadata.name).toBe(`crossfade-migrate-${version}`)
    expect(JSON.stringify(job)).not.toContain('onfigMap')
  })
})
