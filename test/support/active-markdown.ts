import { marked, type Token } from 'marked'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'

const activeTokens = new Set(['link', 'image', 'html', 'def'])
const activeNodes = new Set([
  'link',
  'image',
  'html',
  'definition',
  'linkReference',
  'imageReference',
  'footnoteReference',
  'footnoteDefinition',
])

interface Node {
  readonly type: string
  readonly children?: readonly Node[]
}

const flatten = (node: Node): Node[] => [node, ...(node.children ?? []).flatMap(flatten)]

const listTokens = (markdown: string) => {
  const tokens: Token[] = []
  marked.walkTokens(marked.lexer(markdown), (token: Token) => {
    tokens.push(token)
  })
  return tokens.map(({ type }) => type).filter((type) => activeTokens.has(type))
}

const listNodes = (markdown: string) => {
  const tree = fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] })
  return flatten(tree)
    .map(({ type }) => type)
    .filter((type) => activeNodes.has(type))
}

/**
 * Lists the links, images and HTML in a text, as seen by two parsers of GitHub Flavored Markdown. marked finds
 * addresses in the source, while remark's parser finds them after it has replaced character references and escapes.
 */
export const listActiveMarkdown = (markdown: string): readonly string[] => [
  ...listTokens(markdown),
  ...listNodes(markdown),
]
