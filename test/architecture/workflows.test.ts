import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseYaml } from '@redocly/openapi-core'
import { describe, expect, it } from 'vitest'
import { slowProofs } from '../../vitest.config.ts'
import { root } from './source-files.ts'

interface Step {
  readonly uses?: string
  readonly run?: string
}

interface Job {
  readonly uses?: string
  readonly container?: string
  readonly 'timeout-minutes'?: number | string
  readonly steps?: readonly Step[]
}

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>
  readonly concurrency: { readonly group: string }
  readonly jobs: Readonly<Record<string, Job>>
}

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const names = readdirSync(join(root, '.github/workflows'))
const workflows = names.map((name) => {
  const text = read(`.github/workflows/${name}`)
  return { name, text, workflow: parseYaml(text) as Workflow }
})
const listCommands = (job: Job) => (job.steps ?? []).flatMap(({ run }) => (run === undefined ? [] : [run]))
const jobs = workflows.flatMap(({ workflow }) => Object.values(workflow.jobs))

describe.each(workflows)('$name', ({ text, workflow }) => {
  it('may only read the repository by default', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' })
  })

  it('sets a time limit for every job', () => {
    // The jobs of a called workflow have their own limits.
    const own = Object.values(workflow.jobs).filter(({ uses }) => uses === undefined)
    expect(own.filter((job) => job['timeout-minutes'] === undefined)).toEqual([])
  })

  it('pins every third-party action to a commit, and states its version', () => {
    const actions = [...text.matchAll(/^[\s-]*uses: (.+)$/gm)].map(([, action = '']) => action)
    const unpinned = actions.filter(
      (action) => !action.startsWith('./') && !/^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action),
    )
    expect(actions.length).toBeGreaterThan(0)
    expect(unpinned).toEqual([])
  })

  it('has a concurrency group of its own, even when another workflow calls it', () => {
    expect(workflow.concurrency.group).toMatch(/^[a-z]+-\$\{\{/)
    expect(workflow.concurrency.group).not.toContain('github.workflow')
  })
})

it('the workflows run the same steps as .ci/run', () => {
  const run = /^(?:npm (?:ci|test|run)|bash \.ci\/)/
  const ofGate = read('.ci/run')
    .split('\n')
    .map((line) => line.replace(/ \|\| .*$/, ''))
    .filter((line) => run.test(line))
  const ofWorkflows = ['check.yml', 'test.yml', 'proofs.yml']
    .flatMap((name) => workflows.filter((workflow) => workflow.name === name))
    .flatMap(({ workflow }) => Object.values(workflow.jobs).flatMap(listCommands))
    .filter((command) => run.test(command))
  expect(new Set(ofWorkflows)).toEqual(new Set(ofGate))
})

it('every file in the list of slow proofs exists', () => {
  expect(slowProofs.filter((path) => !existsSync(join(root, path)))).toEqual([])
})

it('Debian packages are listed only in scripts/install-packages.sh', () => {
  const installation = 'bash scripts/install-packages.sh'
  const container = JSON.parse(read('.devcontainer/devcontainer.json'))
  const testing = jobs
    .map(listCommands)
    .filter((commands) => commands.some((command) => /^(?:npm test|bash \.ci\/)/.test(command)))
  expect(testing).toHaveLength(2)
  for (const commands of testing) expect(commands).toContain(installation)
  expect(container.postCreateCommand).toContain(installation)
  expect(read('.ci/run')).toContain(installation)
  const others = ['.ci/run', '.ci/proofs', '.devcontainer/devcontainer.json']
  for (const text of [...others.map(read), ...workflows.map(({ text }) => text)])
    expect(text).not.toContain('apt-get')
})

it("the development container uses the workflows' image", () => {
  const { image } = JSON.parse(read('.devcontainer/devcontainer.json'))
  const images = jobs.flatMap(({ container }) => container ?? [])
  expect(images.length).toBeGreaterThan(2)
  expect(new Set(images)).toEqual(new Set([image]))
  expect(image).toMatch(/@sha256:[0-9a-f]{64}$/)
})

it('the issue forms have a name, a description and fields', () => {
  const forms = readdirSync(join(root, '.github/ISSUE_TEMPLATE')).filter((name) => name !== 'config.yml')
  expect(forms.length).toBeGreaterThan(1)
  for (const name of forms)
    expect(parseYaml(read(`.github/ISSUE_TEMPLATE/${name}`))).toMatchObject({
      name: expect.any(String),
      description: expect.any(String),
      body: expect.arrayContaining([expect.objectContaining({ type: 'textarea' })]),
    })
})

it('every path in CODEOWNERS exists', () => {
  const paths = [...read('.github/CODEOWNERS').matchAll(/^(\/\S+) +@/gm)].map(([, path = '']) => path)
  expect(paths.length).toBeGreaterThan(10)
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([])
})

it('CHANGELOG.md begins with the unreleased changes, and lists the version in package.json', () => {
  const versions = [...read('CHANGELOG.md').matchAll(/^## (\S+)/gm)].map(([, version]) => version)
  expect(versions[0]).toBe('Unreleased')
  expect(versions).toContain(JSON.parse(read('package.json')).version)
})
