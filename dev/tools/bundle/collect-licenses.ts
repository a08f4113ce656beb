import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

const packageOfInput = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//

const readLicense = async (folder: string) => {
  const files = await readdir(folder)
  const file = files.find((name) => /^licen[cs]e/i.test(name))
  return file === undefined ? null : readFile(join(folder, file), 'utf8')
}

/** Collects the licences of a bundle's packages into one text, which every copy of the bundle must contain. */
export const collectLicenses = async (root: string, inputs: readonly string[]): Promise<string> => {
  const folders = new Set(inputs.flatMap((input) => packageOfInput.exec(input)?.[1] ?? []))
  const texts = await Promise.all(
    [...folders].sort().map(async (folder) => {
      const { name, version, license } = JSON.parse(
        await readFile(join(root, folder, 'package.json'), 'utf8'),
      )
      const text =
        (await readLicense(join(root, folder))) ?? 'The package does not include the text of its licence.'
      return `${name} ${version} (${license})\n\n${text.trim()}\n`
    }),
  )
  return texts.join(`\n${'-'.repeat(80)}\n\n`)
}
