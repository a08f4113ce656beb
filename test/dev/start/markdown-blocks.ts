import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../../..')

/** A block of commands in a page. `output` is what the page shows as their output; null if it shows none. */
interface CommandBlock {
  readonly commands: string
  readonly output: string | null
}

export const readCommandBlocks = (file: string): readonly CommandBlock[] =>
  [
    ...readFileSync(join(root, file), 'utf8').matchAll(
      /^```sh\n([\s\S]*?)^```$(?:\n\n^```text\n([\s\S]*?)^```$)?/gm,
    ),
  ].map(([, commands = '', output = null]) => ({ commands, output }))

const formatBlock = ({ commands, output }: CommandBlock) =>
  `\`\`\`sh\n${commands}\`\`\`${output === null ? '' : `\n\n\`\`\`text\n${output}\`\`\``}`

export const recordOutput = (file: string, block: CommandBlock, printed: string): void => {
  const path = join(root, file)
  const recorded = { commands: block.commands, output: printed === '' ? null : printed }
  const text = readFileSync(path, 'utf8')
  writeFileSync(
    path,
    text.replace(formatBlock(block), () => formatBlock(recorded)),
  )
}
