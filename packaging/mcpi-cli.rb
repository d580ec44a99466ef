# Template for the Homebrew formula; `brew update-python-resources mcpi-cli` adds the resources for a release.
class McpiCli < Formula
  include Language::Python::Virtualenv

  desc "Test and diagnose MCP servers from the command line, with JSON output"
  homepage "https://github.com/mcpi-cli/mcpi"
  url "https://github.com/mcpi-cli/mcpi/releases/download/v@VERSION@/mcpi_cli-@VERSION@.tar.gz"
  sha256 "@SHA256@"
  license "MIT"

  depends_on "cryptography"
  depends_on "libyaml"
  depends_on "python@3.13"

  def install
    virtualenv_install_with_resources
    generate_completions_from_executable(bin/"mcpi", "--completion")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/mcpi --version")
    assert_equal "{}\n", shell_output("#{bin}/mcpi ping --demo --compact")
  end
end
