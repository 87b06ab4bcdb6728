# Livery for Homebrew; make release fills in the version, the addresses and the checksums.
class Livery < Formula
  desc "Stores, versions and serves design tokens"
  homepage "https://example.com/livery"
  version "{{.Version}}"
  license "Apache-2.0"
{{range .Systems}}
  on_{{.Name}} do
{{- range .Archives}}
    on_{{.Processor}} do
      url "{{.URL}}"
      sha256 "{{.SHA256}}"
    end
{{- end}}
  end
{{end}}
  def install
    bin.install "livery"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/livery.bash" => "livery"
    zsh_completion.install "completions/livery.zsh" => "_livery"
    fish_completion.install "completions/livery.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/livery version")
  end
end
