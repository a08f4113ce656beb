import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, it } from 'vitest'
import { root } from './source-files.ts'

// Folders that the package manager and the build create.
const written = ['node_modules', 'dist']
const topFolders = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && !written.includes(entry.name))
  .map(({ name }) => name)
const readmesOfFolders = topFolders.map((folder) => `${folder}/README.md`)
const pagesWithPaths = ['SECURITY.md', 'docs/architecture.md', ...readmesOfFolders]

const folders = ['.', 'docs', 'docs/decisions', 'dev/bench', 'dev/bench/results', 'packages/client']
const pages = [
  ...new Set(
    folders
      .flatMap((folder) =>
        readdirSync(join(root, folder))
          .filter((name) => name.endsWith('.md'))
          .map((name) => join(folder, name)),
      )
      .concat(readmesOfFolders),
  ),
]
const read = (page: string) => readFileSync(join(root, page), 'utf8').replaceAll(/^```[\s\S]*?^```$/gm, '')

/** Lists the anchors of a page, derived from its headings in the same way as on GitHub. */
const listAnchors = (page: string) =>
  [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )

const isBroken = (page: string, link: string) => {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? page : normalize(join(dirname(page), path))
  if (!existsSync(join(root, target))) return true
  return anchor !== undefined && target.endsWith('.md') && !listAnchors(target).includes(anchor)
}

it('every link between pages leads to an existing file and heading', () => {
  const links = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map(([, link = '']) => ({ page, link })),
  )
  expect(links.length).toBeGreaterThan(50)
  expect(links.filter(({ page, link }) => isBroken(page, link))).toEqual([])
})

it('a link whose text is a path leads to that path', () => {
  const links = readmesOfFolders.flatMap((page) =>
    [...read(page).matchAll(/\[([^\]`]+\.ts)\]\(([^)\s]+)\)/g)].map(([, text = '', link = '']) => ({
      page,
      text,
      link,
    })),
  )
  expect(links.length).toBeGreaterThan(50)
  expect(links.filter(({ text, link }) => !link.endsWith(text))).toEqual([])
})

it("SECURITY.md, docs/architecture.md and each folder's README name only paths that exist", () => {
  const named = pagesWithPaths.flatMap((page) =>
    [...read(page).matchAll(/`([^`\s]+)`/g)].map(([, path = '']) => ({ page, path })),
  )
  const paths = named.filter(
    ({ path }) => topFolders.includes(path.split('/', 1)[0] ?? '') && !path.includes('<'),
  )
  expect(paths.length).toBeGreaterThan(50)
  expect(paths.filter(({ path }) => !existsSync(join(root, path)))).toEqual([])
})
