# Installs Livery from its formula with the words of Homebrew that the formula uses. Anything else in it is an error, and
# so are a file that the archive lacks, a word that is given twice, and a checksum that differs.
#
#   ruby brew.rb FORMULA macos|linux intel|arm ARCHIVES PREFIX [test]
require "digest"
require "fileutils"
require "pathname"
require "tmpdir"

FORMULA, SYSTEM, PROCESSOR, ARCHIVES, PREFIX, TEST = ARGV

class Pathname
  # install moves files here, a hash those of its keys under its values as names.
  def install(files)
    mkpath
    files = [files].flatten
    raise "no file to install in #{self}" if files.empty?
    files.each do |file|
      (file.is_a?(Hash) ? file : { file => File.basename(file) }).each { |from, to| FileUtils.mv(from, self + to) }
    end
  end
end

class Formula
  class << self
    %i[desc homepage version license url sha256].each do |word|
      define_method(word) do |*value|
        @said ||= {}
        return @said.fetch(word) if value.empty?
        raise "#{word} is given twice for #{SYSTEM} on #{PROCESSOR}" if @said.key?(word)
        @said[word] = value.first
      end
    end

    { SYSTEM => %w[macos linux], PROCESSOR => %w[intel arm] }.each do |this, all|
      all.each { |name| define_method("on_#{name}") { |&block| block.call if name == this } }
    end

    def test(&block)
      block ? @test = block : @test
    end
  end

  { bin: "bin", man1: "share/man/man1", bash_completion: "etc/bash_completion.d", zsh_completion: "share/zsh/site-functions",
    fish_completion: "share/fish/vendor_completions.d" }.each do |name, path|
    define_method(name) { Pathname(PREFIX) + path }
  end

  def version
    self.class.version
  end

  def shell_output(command)
    output = `#{command}`
    raise "#{command}: #{$?}" unless $?.success?
    output
  end

  def assert_match(text, output)
    raise "#{text} is not in #{output}" unless output.include?(text)
  end
end

load FORMULA
archive = File.join(ARCHIVES, File.basename(Livery.url))
raise "#{archive} has another checksum" unless Digest::SHA256.file(archive).hexdigest == Livery.sha256
Dir.mktmpdir do |dir|
  system("tar", "-xzf", archive, "-C", dir, exception: true)
  Dir.chdir(dir) { Livery.new.install }
end
Livery.new.instance_eval(&Livery.test) if TEST
