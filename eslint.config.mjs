import { defineConfig, globalIgnores } from "eslint/config";
import tseslint from "typescript-eslint";
import { gateFiles } from "./scripts/lint/gate-files.mjs";
import { GATE_RULES } from "./scripts/lint/gate-tests.mjs";
import { importCircles } from "./scripts/lint/import-circles.mjs";
import { importLayers } from "./scripts/lint/import-layers.mjs";

/** The parts of `vscode.window` that draw links or icons in plain text. */
const SHOWS_TEXT =
  "/^(show(Information|Warning|Error)Message|setStatusBarMessage|withProgress|showQuickPick|createQuickPick|showInputBox|createInputBox)$/";
const ONLY_MESSAGES =
  "names of VMs and captures are hostile: only extension/src/messages shows text, each through messageText";

/** Nothing in these files depends on how busy the machine is. Night files may. */
const GATE_FILES = gateFiles(import.meta.dirname);
/** Gate files that look at Extrospect's own pages, which show the effect of a key at once. The editor answers when it likes. */
const OWN_PAGES = GATE_FILES.filter((file) => /^test\/(webviews|formats)\//.test(file));

/** The code that runs in the editor and its pages. */
const PRODUCT = ["contract/**/*.ts", "extension/src/**/*.ts", "webviews/*/*.ts"];

// Type information is read for the product only: tsc checks the types of all, and this stays a matter of seconds.
export default defineConfig(
  globalIgnores([
    "node_modules/",
    "dist/",
    "native-helper/",
    "captures/",
    ".cache/",
    "contract/protocol.generated.ts",
    "contract/editor-module.generated.ts",
    "contract/sample-types.generated.ts",
  ]),
  tseslint.configs.strict,
  tseslint.configs.stylistic,
  {
    rules: {
      eqeqeq: "error",
      "@typescript-eslint/no-empty-function": ["error", { allow: ["arrowFunctions"] }],
      "no-console": "off",
      "no-constant-condition": ["error", { checkLoops: false }],
      "prefer-const": "error",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
    },
  },
  {
    files: ["scripts/node-version.cjs"],
    languageOptions: { ecmaVersion: 5, sourceType: "commonjs" },
    rules: { "no-var": "off", "prefer-const": "off", "@typescript-eslint/no-require-imports": "off" },
  },
  {
    files: ["extension/src/**/*.ts"],
    ignores: ["extension/src/messages/*.ts"],
    rules: {
      "no-restricted-syntax": [
        "error",
        { selector: `MemberExpression[property.name=${SHOWS_TEXT}]`, message: ONLY_MESSAGES },
        { selector: `MemberExpression[computed=true][property.value=${SHOWS_TEXT}]`, message: ONLY_MESSAGES },
        { selector: `ObjectPattern > Property[key.name=${SHOWS_TEXT}]`, message: ONLY_MESSAGES },
        {
          selector:
            "AssignmentExpression > MemberExpression.left[property.name=/^(message|prompt|placeholder|validationMessage)$/]",
          message: ONLY_MESSAGES,
        },
        {
          selector: "MemberExpression[object.name='AbortSignal'][property.name='timeout']",
          message: "use Deadline: a timeout among the sources of AbortSignal.any is collected, and then nothing ends",
        },
        {
          selector: "ImportDeclaration[source.value='vscode'] > ImportSpecifier[importKind!='type']",
          message: "import vscode as a namespace: other rules go by its name",
        },
      ],
    },
  },
  {
    files: GATE_FILES,
    plugins: { gate: { rules: GATE_RULES } },
    rules: Object.fromEntries(Object.keys(GATE_RULES).map((name) => [`gate/${name}`, "error"])),
  },
  { files: OWN_PAGES, rules: { "gate/single-look": ["error", { pages: "ours" }] } },
  {
    files: PRODUCT,
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: { extrospect: { rules: { "import-layers": importLayers, "import-circles": importCircles } } },
    rules: {
      "extrospect/import-layers": "error",
      "extrospect/import-circles": "error",
      "@typescript-eslint/no-floating-promises": "error",
    },
  },
);
